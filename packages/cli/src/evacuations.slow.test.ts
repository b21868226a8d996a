import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { type Evacuation, evacuateNode, getEvacuation, planEvacuation } from '@innkeeper/contract/moves/evacuations'
import { getNode } from '@innkeeper/contract/nodes/nodes'
import { defaultPlacement, putNodePlacement } from '@innkeeper/contract/nodes/placement'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { getServer } from '@innkeeper/contract/servers/servers'
import { expect, test, vi } from 'vitest'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

vi.setConfig({ testTimeout: 420_000 })

const wait = { timeout: 180_000, interval: 200 }
const here = { id: 0 }

const definition = (name: string, port: number, limits = {}) => ({
  type: 'test',
  name,
  data: { port: { value: port, type: 'integer' as const } },
  run: { command: 'cat' },
  environment: { type: 'standard', limits },
  node: here.id,
})

const statesOf = ({ servers }: Evacuation) => Object.fromEntries(servers.map(({ name, state }) => [name, state]))

async function report(installation: TestInstallation): Promise<Evacuation> {
  const found = await installation.send(getEvacuation, { params: here })
  if (!found) throw new Error('The node was not evacuated.')
  return found
}

test('two servers leave a node, also when the panel is killed meanwhile, and one stays and says why', async () => {
  await using installation = await TestInstallation.start()
  await using node = await RemoteNode.join(installation)
  const settings = { ...defaultPlacement, memoryFactor: 10 }
  await installation.send(putNodePlacement, { params: { id: node.id }, body: settings })
  const running = await installation.send(createServer, { body: definition('running', 25_565) })
  const stopped = await installation.send(createServer, { body: definition('stopped', 25_566) })
  await installation.send(createServer, { body: definition('huge', 25_567, { disk: 1_000_000_000 }) })
  await installation.send(startServer, { params: running, query: { wait: 'true' } })
  // The last report of the node has all of them.
  const plan = await vi.waitFor(async () => {
    const { servers } = await installation.send(planEvacuation, { params: here, query: {} })
    expect(servers.map(({ name, to }) => [name, to?.name])).toEqual([
      ['huge', undefined],
      ['stopped', 'far'],
      ['running', 'far'],
    ])
    return servers
  }, wait)
  expect(plan[0]?.error).toMatchObject({ code: 'ErrNoNodeFits', metadata: { missing: 'disk' } })

  await installation.send(evacuateNode, { params: here, body: { atOnce: 1 } })
  await vi.waitFor(async () => expect(statesOf(await report(installation)).stopped).not.toBe('waiting'), wait)
  await installation.stop('SIGKILL')
  makeOld(installation)
  await installation.restart()

  const ended = await vi.waitFor(async () => {
    const found = await report(installation)
    expect(found.state).toBe('done')
    return found
  }, wait)
  expect(statesOf(ended)).toEqual({ huge: 'blocked', stopped: 'moved', running: 'moved' })
  expect(ended.servers[0]?.error?.metadata?.reason).toMatch(/no node has .* of free disk space/)
  expect(ended.servers[1]).toMatchObject({ to: { id: node.id, name: 'far' } })
  expect(ended.servers[1]?.stoppedMs).toBeUndefined()
  expect(ended.servers[2]?.stoppedMs).toBeGreaterThan(0)
  for (const params of [running, stopped])
    expect((await installation.send(getServer, { params, query: {} })).server.node.id).toBe(node.id)
  expect((await installation.send(getStatus, { params: running })).state).toBe('online')
  expect((await installation.send(getNode, { params: here })).availability?.state).toBe('draining')
  const { activity } = await installation.send(listActivity, { query: { action: 'server.move' } })
  expect(activity.map(({ result }) => result)).toEqual(['done', 'done'])
})

/** Another panel continues what its panel has not renewed for a minute. */
function makeOld(installation: TestInstallation): void {
  using database = new DatabaseSync(join(installation.folder, 'data', 'panel.db'))
  for (const table of ['moves', 'evacuations']) database.prepare(`UPDATE ${table} SET updated_at = 0`).run()
}
