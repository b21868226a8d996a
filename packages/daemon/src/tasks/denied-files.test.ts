import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { runTask } from '@innkeeper/contract/servers/tasks'
import { expect } from 'vitest'
import { server, test } from '../testing/task-node.ts'

test('a task of a user cannot use files that the template keeps from users, that of an administrator can', async ({
  fixture: { node, user, task, until },
}) => {
  const inside = join(node.dataDir, 'servers', server)
  const params = { id: server }
  const { body } = await node.client.send(getDefinition, { params })
  await node.client.send(putDefinition, { params, body: { ...body, deniedFiles: ['Pal.sh'] } })
  writeFileSync(join(inside, 'Pal.sh'), 'game')
  const operations = [{ type: 'move', source: 'Pal.sh', target: 'mine' }]
  const run = async () => {
    const key = await task({ operations })
    await node.client.send(runTask, { params: { id: server, task: key } })
    return (await until(key, 'it has ended', ([one]) => one?.result !== undefined))[0]
  }

  user.permissions[server] = ['viewServer', 'editServerData', 'putServerFiles']
  const byUser = await run()
  const after = readFileSync(join(inside, 'Pal.sh'), 'utf8')
  user.permissions[server] = ['admin']
  const byAdmin = await run()

  expect([byUser?.result, after]).toEqual(['failed', 'game'])
  expect(JSON.stringify(byUser)).toContain('does not allow access')
  expect([byAdmin?.result, readFileSync(join(inside, 'mine'), 'utf8')]).toEqual(['done', 'game'])
})
