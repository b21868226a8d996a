import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNode } from '@innkeeper/contract/nodes/nodes'
import { listServers } from '@innkeeper/contract/servers/servers'
import { expect, test } from 'vitest'
import { RemoteNode } from '../testing/remote-node.ts'
import { runCommand } from '../testing/run-command.ts'
import { TestInstallation } from '../testing/test-installation.ts'

const content = (motd: string) => `version: 1
templates:
  plain: { type: test, data: { motd: { value: '' } }, run: { command: cat } }
servers:
  Near: { template: plain, variables: { motd: ${motd} } }
  Distant: { template: plain, node: far, variables: { motd: ${motd} } }
`

test('one file has servers of several nodes, and one whose node is offline changes nothing', {
  timeout: 150_000,
}, async () => {
  await using installation = await TestInstallation.start()
  await using node = await RemoteNode.join(installation)
  const file = join(installation.folder, 'servers.yaml')
  const apply = async (text: string, ...options: string[]) => {
    await writeFile(file, text)
    return await runCommand(['apply', file, '--yes', ...options], installation.env)
  }
  const servers = async () =>
    (await installation.send(listServers, { query: {} } as never)).servers.map((one) => [one.name, one.node.name])

  const created = await apply(content('one'))
  const afterCreation = await servers()
  await node.end('SIGTERM')
  const offline = await apply(content('two'))
  const others = await apply('version: 1\nservers:\n  Near: { variables: { motd: three } }\n')
  await node.start()
  await expect.poll(async () => (await apply(content('two'))).code, { timeout: 60_000 }).toBe(0)
  const unchanged = await apply(content('two'))

  expect([created.code, created.err]).toEqual([0, ''])
  expect(afterCreation.toSorted()).toEqual([
    ['Distant', 'far'],
    ['Near', 'LocalNode'],
  ])
  expect([offline.code, offline.out]).toEqual([1, ''])
  expect(offline.err).toMatch(/^The server Distant on node far cannot be read: .*\.\n$/)
  // Only the nodes of servers in the file must be online.
  expect([others.code, others.err]).toEqual([0, ''])
  expect(others.out).toContain('variables.motd: "one" → "three"')
  expect(unchanged.out).toBe('0 to create, 0 to change, 0 to delete, 3 unchanged.\n')
})

test('a server for a node that is not online is an error in the file, and nothing is changed', {
  timeout: 60_000,
}, async () => {
  await using installation = await TestInstallation.start()
  await installation.send(createNode, { body: { name: 'far', publicHost: '127.0.0.1' } } as never)
  const file = join(installation.folder, 'servers.yaml')
  await writeFile(file, content('one'))

  const { code, out, err } = await runCommand(['apply', file, '--yes'], installation.env)

  expect([code, out]).toEqual([1, ''])
  expect(err).toBe(`${file}:6:31: The node far is offline.\n`)
  expect((await installation.send(listServers, { query: {} } as never)).servers).toEqual([])
})
