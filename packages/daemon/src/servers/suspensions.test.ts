import { once } from 'node:events'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { listBackups } from '@innkeeper/contract/backups/backups'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getFile, putFile } from '@innkeeper/contract/servers/files'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { getConsole, getStatus, installServer, killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { createTask, listTasks, runTask } from '@innkeeper/contract/servers/tasks'
import { expect, vi } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { test } from '../testing/node-test.ts'
import { suspensionsFile } from './suspensions.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }
const patience = { timeout: 10_000, interval: 20 }
const suspension = { reason: 'The invoice of May is not paid.', since: '2026-05-04T03:02:01.000Z' }

const user: RequiredPermission[] = [
  ...(['viewServer', 'viewServerConsole', 'viewServerFiles', 'putServerFiles'] as const),
  ...(['startServer', 'stopServer', 'installServer', 'viewServerBackups'] as const),
]

async function set({ client }: TestNode, to: typeof suspension | null, server = id): Promise<void> {
  const { status } = await client.asPanel('PUT', `/daemon/server/${server}/suspension`, { suspension: to })
  if (status !== 204) throw new Error(`not set: ${status}`)
}

const readState = async ({ client }: TestNode) => (await client.send(getStatus, { params })).body.state
const untilOffline = (node: TestNode) => vi.waitFor(async () => expect(await readState(node)).toBe('offline'), patience)

async function start(node: TestNode, run: object = { command: program('echo'), stop: 'stop' }): Promise<void> {
  await node.client.create(id, { readyPattern: 'ready', ...run })
  expect((await node.client.send(startServer, { params, query: wait })).status).toBe(204)
  await vi.waitFor(async () => expect(await readState(node)).toBe('online'), patience)
}

test('a suspension that arrives several times is said once', async ({ node }) => {
  await node.client.create(id, { command: program('echo') })

  await Promise.all([set(node, suspension), set(node, suspension), set(node, suspension)])

  const { body } = await node.client.send(getConsole, { params, query: {} })
  expect(body.logs.match(/Server is suspended/g)).toHaveLength(1)
})

test('a suspended server is stopped, nobody starts it, and users have neither console nor files', async ({ node }) => {
  const { client } = node
  await start(node, { command: program('echo'), stop: 'stop', autorestart: true, autorecover: true })
  const viewer = await client.watch(id, user)
  const [closed, admin] = [once(viewer.socket, 'close'), await client.watch(id)]

  await set(node, suspension)

  const [code] = await closed
  expect(code).toBe(closeCodes.revoked)
  await untilOffline(node)
  await admin.untilText('Server is suspended')
  expect((await client.send(getStatus, { params })).body).toMatchObject({
    running: false,
    lastExit: { reason: 'stopped' },
  })
  for (const call of [startServer, installServer]) {
    const { status, body } = await client.send(call, { params, query: wait })
    expect([status, body.error]).toMatchObject([
      403,
      { code: 'ErrServerSuspended', metadata: { reason: suspension.reason } },
    ])
  }
  for (const [call, permissions] of [
    [getConsole, user],
    [killServer, user],
    [startServer, user],
  ] as const) {
    const { status, body } = await client.send(call, { params, permissions, query: {} })
    expect([status, body.error.code]).toEqual([403, 'ErrServerSuspended'])
  }
  const file = { params: { ...params, path: 'a.txt' } }
  expect((await client.send(putFile, { ...file, permissions: user, body: 'text' })).status).toBe(403)
  expect((await client.send(putFile, { ...file, body: 'text' })).status).toBe(204)
  expect((await client.send(getFile, { ...file, permissions: user })).status).toBe(403)
  expect((await client.send(listBackups, { params, permissions: user })).status).toBe(200)

  await set(node, null)
  expect((await client.send(startServer, { params, permissions: user, query: wait })).status).toBe(204)
})

test('transfers of users end, those of administrators go on', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, 'true')
  // More than the buffers of a connection hold.
  const bytes = 64 * 1024 ** 2
  await writeFile(join(dataDir, 'servers', id, 'big'), '')
  await truncate(join(dataDir, 'servers', id, 'big'), bytes)
  const file = { params: { ...params, path: 'big' } }
  const [ofUser, ofAdmin] = [
    await client.fetch(getFile, { ...file, permissions: user }),
    await client.fetch(getFile, file),
  ]

  await set(node, suspension)

  await expect(ofUser.body.arrayBuffer()).rejects.toThrow()
  expect((await ofAdmin.body.arrayBuffer()).byteLength).toBe(bytes)
})

test('a server that does not stop in its time is killed', async ({ node }) => {
  await start(node, { command: program('stubborn'), stopCode: 15, stopTimeout: 1 })

  await set(node, suspension)

  await untilOffline(node)
})

test('no task runs on a suspended server, and the one that runs is canceled', async ({ node }) => {
  const { client } = node
  await client.create(id, 'true')
  const every = { name: 'Every second', cronSchedule: '* * * * * *', operations: [{ type: 'mkdir', target: 'ran' }] }
  const long = { name: 'Long', operations: [{ type: 'sleep', duration: '10m' }] }
  const { body: task } = await client.send(createTask, { params, body: long })
  await client.send(runTask, { params: { ...params, task: task.id }, query: {} })

  await set(node, suspension)
  const { body: scheduled } = await client.send(createTask, { params, body: every })

  const list = async () => (await client.send(listTasks, { params })).body.tasks
  await vi.waitFor(async () => expect((await list())[task.id]).toMatchObject({ lastRun: { result: 'cancelled' } }))
  const first = (await list())[scheduled.id].nextRun
  // Its time has passed.
  await vi.waitFor(async () => expect((await list())[scheduled.id].nextRun).not.toBe(first), patience)
  expect((await list())[scheduled.id].lastRun).toBeUndefined()
})

test('a suspension survives a restart of the daemon, and stops what still runs then', async ({ node }) => {
  await start(node, { command: program('echo'), stop: 'stop', autostart: true })
  await node.detach()
  const stored = [
    { server: id, suspension },
    { server: '0b0b0b0b', suspension: { ...suspension, until: '2026-05-05T00:00:00Z' } },
  ]
  await writeFile(join(node.dataDir, suspensionsFile), JSON.stringify(stored))

  await node.start()

  await untilOffline(node)
  await node.detach()
  await node.start()
  expect(await readState(node)).toBe('offline')
  expect((await node.client.send(startServer, { params, query: wait })).body.error.code).toBe('ErrServerSuspended')
  // It has ended by itself.
  await node.client.create('0b0b0b0b', { command: program('echo'), stop: 'stop' })
  expect((await node.client.send(startServer, { params: { id: '0b0b0b0b' }, query: wait })).status).toBe(204)
})

test('a node gets suspensions that it has missed with the response to its report', async () => {
  const panel = new FakePanel()
  await using node = await TestNode.start({ panel })
  await start(node)
  panel.suspensions = [
    { server: id, suspension },
    { server: 'ffffffff', suspension },
  ]

  node.daemon.startReporting()

  await untilOffline(node)
  panel.suspensions = []
  await vi.waitFor(() => expect(panel.reportedSuspensions).toEqual([{ server: id, suspension }]), patience)
})

test('a deleted server leaves no suspension for one with the same ID', async ({ node }) => {
  const { client } = node
  await client.create(id, 'true')
  await set(node, suspension)

  await client.asPanel(panelEndpoints.deleteServer.method, `/daemon/server/${id}`)
  await client.create(id, { command: program('echo'), stop: 'stop' })

  expect((await client.send(startServer, { params, query: wait })).status).toBe(204)
})
