import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  deleteNode,
  getNode,
  getNodeDeployment,
  getNodeFeatures,
  replaceNodeSecret,
} from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import {
  getConsole,
  getStatus,
  restartServer,
  sendCommand,
  startServer,
} from '@innkeeper/contract/servers/node-servers'
import { deleteServer, getUsage } from '@innkeeper/contract/servers/servers'
import { createTask, listTaskRuns } from '@innkeeper/contract/servers/tasks'
import { openCliContext } from '@innkeeper/panel/cli-context'
import { connect } from '@innkeeper/panel/database/database'
import pino from 'pino'
import { test as base, expect, vi } from 'vitest'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

// Two programs are started, and one of them is restarted.
vi.setConfig({ testTimeout: 150_000, hookTimeout: 60_000 })

const test = base.extend<{ installation: TestInstallation; node: RemoteNode }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  installation: async ({}, use) => {
    await using installation = await TestInstallation.start()
    await use(installation)
  },
  node: async ({ installation }, use) => {
    await using node = await RemoteNode.join(installation)
    await use(node)
  },
})

const echo = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }

test('a server on a remote node works like a local one, and keeps running while panel or node are down', async ({
  installation,
  node,
}) => {
  // Missing resource limits are reported at the start of the node and by the panel.
  for (const [id, { output }] of [
    [0, installation],
    [node.id, node],
  ] as const) {
    const { isolation } = await installation.send(getNodeFeatures, { params: { id } })
    const { limits, ...others } = isolation ?? {}
    const unavailable = [...Object.values(others), ...Object.values(limits ?? {})].filter(
      (ability) => !ability?.enforced,
    )
    // Disk limits are not enforced on any machine.
    expect(unavailable).toContainEqual(limits?.disk)
    for (const capability of unavailable) expect(output).toContain(capability?.reason)
    expect((await installation.send(getNode, { params: { id } })).health?.features?.isolation).toEqual(isolation)
  }

  const params = await installation.send(createServer, { body: { ...echo, name: 'echo', node: node.id } })
  await installation.send(startServer, { params, query: { wait: 'true' } })
  await installation.send(sendCommand, { params, body: 'are you there' })
  const consoleSays = async () => (await installation.send(getConsole, { params, query: { time: '0' } })).logs
  await vi.waitFor(async () => expect(await consoleSays()).toContain('are you there'))

  const content = randomBytes(3_000_000)
  const path = `/proxy/daemon/server/${params.id}/file/a%20world.dat`
  expect((await installation.fetch(path, { method: 'PUT', body: content })).status).toBe(204)
  expect(
    (await installation.fetch(`/proxy/daemon/server/${params.id}/file/new?folder=true`, { method: 'PUT' })).ok,
  ).toBe(true)
  expect(Buffer.from(await (await installation.fetch(path)).arrayBuffer()).equals(content)).toBe(true)
  const files = join(node.folder, 'data', 'servers', params.id)
  expect((await readdir(files)).toSorted()).toEqual(['a world.dat', 'new'])
  await vi.waitFor(async () => {
    const [usage] = await installation.send(getUsage, { query: { ids: params.id } })
    expect(usage).toMatchObject({ id: params.id, status: { state: 'online' } })
  })
  await expect(installation.send(deleteNode, { params: { id: node.id }, query: {} })).rejects.toMatchObject({
    code: 'ErrNodeHasServers',
    metadata: { servers: 'echo' },
  })

  const task = { name: 'Tidy up', cronSchedule: '*/2 * * * * *', operations: [{ type: 'mkdir', target: 'tidy' }] }
  const { id: tidying } = await installation.send(createTask, { params, body: task })
  const untilTidy = () =>
    vi.waitFor(async () => expect(await readdir(files)).toContain('tidy'), { timeout: 30_000, interval: 100 })
  await untilTidy()

  const since = (await installation.send(getStatus, { params })).since
  await installation.stop('SIGKILL')
  await vi.waitFor(() => expect(node.output).toContain('failed to report to the panel'), { timeout: 30_000 })
  const disconnectedAt = new Date().toISOString()
  await rm(join(files, 'tidy'), { recursive: true })
  await untilTidy()
  const back = new Date().toISOString()
  await installation.restart()
  const runs = await installation.send(listTaskRuns, { params: { ...params, task: tidying } })
  const duringOutage = runs.filter(({ startedAt, endedAt = '' }) => startedAt <= back && disconnectedAt <= endedAt)
  expect(duringOutage.map(({ result }) => result)).toContain('done')

  const sinceThen = async () => (await installation.send(getStatus, { params })).since
  expect(await sinceThen()).toBe(since)

  // A cut connection is not reported; without liveness checks the request would wait for ever.
  const { url, token } = installation
  const viewer = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${params.id}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(viewer, 'open')
  const viewerEnded = once(viewer, 'close')
  node.line.cut()
  const cutAt = performance.now()
  await expect(installation.send(startServer, { params, query: { wait: 'true' } })).rejects.toMatchObject({
    code: 'ErrServiceNotAvailable',
  })
  await viewerEnded
  expect(performance.now() - cutAt).toBeLessThan(15_000)
  node.line.restore()
  await vi.waitFor(async () => expect(await sinceThen()).toBe(since), { timeout: 30_000 })

  await node.end('SIGTERM')
  const before = performance.now()
  await expect(installation.send(getStatus, { params })).rejects.toMatchObject({ code: 'ErrServiceNotAvailable' })
  expect(performance.now() - before).toBeLessThan(10_000)
  await vi.waitFor(async () => expect(await node.stateSeenBy(installation)).toBe('offline'), { timeout: 30_000 })
  expect(performance.now() - before).toBeLessThan(15_000)
  const [last] = await installation.send(getUsage, { query: { ids: params.id } })
  expect(last).toMatchObject({ status: { state: 'online', since } })
  await node.start()
  await vi.waitFor(async () => expect(await sinceThen()).toBe(since), { timeout: 30_000 })

  await installation.send(deleteServer, { params, query: {} })
  expect(await readdir(join(node.folder, 'data', 'servers'))).toEqual([])
})

test('the configuration of a node cannot be used by another one, until the secret is replaced', async ({
  installation,
  node,
}) => {
  const secretIn = async () =>
    (JSON.parse(await readFile(join(node.folder, 'config.json'), 'utf8')) as { nodeSecret: string }).nodeSecret
  const used = await secretIn()
  expect(used).not.toBe('')
  expect((await installation.send(getNodeDeployment, { params: { id: node.id } })).clientSecret).toBe('')

  await node.end('SIGTERM')
  await rm(join(node.folder, 'data'), { recursive: true })
  await node.start()
  await vi.waitFor(() => expect(node.output).toContain('the panel rejects the secret of this node'), {
    timeout: 30_000,
  })

  await installation.send(replaceNodeSecret, { params: { id: node.id } })
  await node.end('SIGTERM')
  await node.configure(installation)
  expect(await secretIn()).not.toBe(used)
  await node.start()
  await vi.waitFor(() => expect(node.output).toContain('this node has been enrolled with its panel'), {
    timeout: 30_000,
  })
})

test('the signing key is rotated while a node works, and the old one becomes invalid', async ({
  installation,
  node,
}) => {
  const databaseUrl = `sqlite:${join(installation.folder, 'data', 'panel.db')}`
  const operator = await openCliContext({ databaseUrl, log: pino({ level: 'silent' }) })
  const db = await connect(databaseUrl)
  const believed = async () => {
    const stored = await readFile(join(node.folder, 'data', 'panel-keys.json'), 'utf8').catch(() => '{"keys":[]}')
    return (JSON.parse(stored) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
  }
  const params = await installation.send(createServer, { body: { ...echo, name: 'echo', node: node.id } })
  // A node reports immediately when the state of a server has changed.
  const untilReported = (look: () => Promise<void>) =>
    vi.waitFor(
      async () => {
        await installation.send(restartServer, { params, query: { wait: 'true' } })
        await look()
      },
      { timeout: 30_000, interval: 500 },
    )

  expect(await operator.rotateKey()).toBe('created')
  await untilReported(async () => expect(await believed()).toHaveLength(2))
  const [before, next = ''] = await believed()
  expect(before).not.toBe(next)
  // As if ten minutes had passed, and then an hour.
  await db
    .updateTable('signing_keys')
    .set((key) => ({ created_at: key('created_at', '-', 700_000) }))
    .execute()
  const signing = db.selectFrom('signing_keys').select('signs_since').where('id', '=', next)
  await untilReported(async () => expect((await signing.executeTakeFirst())?.signs_since).toBeGreaterThan(0))
  await db
    .updateTable('signing_keys')
    .set({ signs_since: Date.now() - 3_700_000 })
    .where('id', '=', next)
    .execute()
  await untilReported(async () => expect(await believed()).toEqual([next]))

  await installation.send(restartServer, { params, query: { wait: 'true' } })
  expect((await installation.send(getStatus, { params })).running).toBe(true)
  await installation.send(deleteServer, { params, query: {} })
  await operator.close()
  await db.destroy()
})
