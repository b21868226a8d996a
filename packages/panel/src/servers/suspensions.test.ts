import { listActivity } from '@innkeeper/contract/activity/activity'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { createBackup, listBackups, restoreBackup } from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  getSftpPermissions,
  getTaskPermissions,
  reportNode,
  sftpLogin,
} from '@innkeeper/contract/node-link/node-to-panel'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { getFile, putFile } from '@innkeeper/contract/servers/files'
import {
  getConsole,
  getStatus,
  installServer,
  sendCommand,
  startServer,
} from '@innkeeper/contract/servers/node-servers'
import * as calls from '@innkeeper/contract/servers/servers'
import { endSuspension, type ServerSuspension, suspendServer } from '@innkeeper/contract/servers/suspension'
import pino from 'pino'
import { test as base, expect } from 'vitest'
import { activityLog } from '../activity/activity.ts'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { suspensionsService } from './suspensions.ts'

const permissions: readonly ServerPermission[] = [
  ...(['viewServerConsole', 'sendServerConsole', 'viewServerFiles', 'putServerFiles', 'sftpServer'] as const),
  ...(['startServer', 'installServer', 'viewServerBackups', 'createServerBackups', 'restoreServerBackups'] as const),
]

/** A panel with a server, its user, an administrator and a controllable clock. */
interface Fixture {
  readonly testPanel: TestPanel
  readonly node: SignedNodeClient
  readonly id: string
  readonly admin: TestUser
  readonly user: TestUser
  pass(ms: number): void
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    let passed = 0
    const pass = (ms: number) => {
      passed += ms
    }
    const node = await SignedNodeClient.make()
    const testPanel = await TestPanel.start({ now: () => Date.now() + passed }, node.publicKey)
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]
    await use({ testPanel, node, id, admin, user: await testPanel.createUser({ on: { [id]: permissions } }), pass })
    await testPanel.stop()
  },
})

const reason = 'The invoice of May is not paid.'

const suspend = ({ testPanel, id, admin }: Fixture, body: { reason?: string; until?: string } = {}) =>
  testPanel.send(suspendServer, { params: { id }, body: { reason, ...body } }, admin)

const end = ({ testPanel, id, admin }: Fixture) => testPanel.send(endSuspension, { params: { id } }, admin)

const view = async ({ testPanel, id, user }: Fixture) =>
  (await testPanel.send(calls.getServer, { params: { id }, query: { perms: '' } }, user)).answer

/** What the panel answers to the report of a node with these suspensions. */
async function report({ testPanel, node }: Fixture, suspensions: ServerSuspension[]) {
  const since = '2026-01-01T00:00:00.000Z'
  const body = {
    atMs: Date.now(),
    features: { features: [], environments: ['standard'], os: 'linux', arch: 'amd64', version: '0.0.0-test' },
    machine: {
      startedAt: since,
      cpu: { cores: 2, used: 1 },
      memory: { total: 2, used: 1 },
      disk: { total: 2, used: 1 },
    },
    servers: [],
    suspensions,
  }
  return (await node.request(testPanel, reportNode, { body })).answer.suspensions
}

const actions = async ({ testPanel, admin }: Fixture) => {
  const query = { action: 'server.*suspend' }
  const { answer } = await testPanel.send(listActivity, { query }, admin)
  return answer.activity.map(({ action, target, from, result }) => ({ action, target, from, result }))
}

test('users of a suspended server see the reason and may list backups; everything else is refused', async ({
  fixture,
}) => {
  const { testPanel, id, user } = fixture
  const params = { id }

  const { status, answer } = await suspend(fixture)

  expect([status, answer.isOnNode]).toEqual([200, true])
  expect(testPanel.node.suspensions.get(id)).toEqual(answer.suspension)
  const page = await view(fixture)
  expect(page.server.suspension).toEqual({ reason, since: answer.suspension.since })
  expect(page.permissions).toMatchObject({ viewServers: true, viewServerBackups: true })
  expect([page.permissions?.viewServerFiles, page.permissions?.startServer]).toEqual([undefined, undefined])
  const list = await testPanel.send(calls.listServers, { query: { status: 'suspended', counts: 'true' } }, user)
  expect(list.answer).toMatchObject({ servers: [{ id, suspension: { reason } }], counts: { suspended: 1, online: 0 } })
  expect((await testPanel.send(calls.getUsage, { query: { ids: id } }, user)).answer).toMatchObject([
    { id, isSuspended: true },
  ])
  const refused: [Endpoint, object][] = [
    [startServer, { params, query: {} }],
    [installServer, { params, query: {} }],
    [getConsole, { params, query: {} }],
    [sendCommand, { params, body: 'stop' }],
    [getFile, { params: { ...params, path: 'a' } }],
    [putFile, { params: { ...params, path: 'a' }, query: {} }],
    [createBackup, { params, body: {} }],
    [restoreBackup, { params: { ...params, backup: '0a0a0a0a' }, body: {} }],
  ]
  for (const [call, request] of refused) {
    const reply = await testPanel.send(call, request as never, user)
    expect([call.path, reply.status, reply.refusal]).toEqual([call.path, 403, 'ErrServerSuspended'])
    expect(reply.metadata).toEqual({ reason })
  }
  expect((await testPanel.send(getStatus, { params }, user)).status).toBe(200)
  expect((await testPanel.send(listBackups, { params }, user)).status).toBeLessThan(300)
})

test('administrators keep files and console of a suspended server, but cannot start it', async ({ fixture }) => {
  const { testPanel, id, admin } = fixture
  await suspend(fixture)
  const params = { id }

  const start = await testPanel.send(startServer, { params, query: {} }, admin)

  expect([start.status, start.refusal]).toEqual([403, 'ErrServerSuspended'])
  expect((await testPanel.send(getConsole, { params, query: {} }, admin)).status).toBe(200)
  expect((await testPanel.send(getFile, { params: { ...params, path: 'a' } }, admin)).status).toBeLessThan(300)
})

test('the end of a suspension gives users their permissions again, and both are in the activity', async ({
  fixture,
}) => {
  const { testPanel, id } = fixture
  await suspend(fixture)

  const { status } = await end(fixture)
  await end(fixture)

  expect(status).toBe(204)
  expect(testPanel.node.suspensions.get(id)).toBeNull()
  const page = await view(fixture)
  expect([page.server.suspension, page.permissions?.startServer]).toEqual([undefined, true])
  expect(await actions(fixture)).toMatchObject([
    { action: 'server.unsuspend', result: 'done' },
    { action: 'server.suspend', target: reason, result: 'done' },
  ])
})

test('a suspension with an end has no effect after it, and its end is in the activity once', async ({ fixture }) => {
  const { testPanel, pass } = fixture
  const until = new Date(Date.now() + 60_000).toISOString()
  const now = () => Date.parse(until)
  const nodes = { clientFor: () => Promise.reject(new Error('never asked')) }
  const activity = activityLog({ db: testPanel.db, now })
  const service = suspensionsService({ db: testPanel.db, nodes, activity, log: pino({ level: 'silent' }), now })

  const past = await suspend(fixture, { until: '2020-01-01T00:00:00Z' })
  const before = await suspend(fixture, { until })
  pass(60_000)
  const page = await view(fixture)
  await Promise.all([service.cleanup().run(), service.cleanup().run()])

  expect(past.refusal).toBe('ErrFieldInvalid')
  expect(before.answer.suspension.until).toBe(until)
  expect([page.server.suspension, page.permissions?.startServer]).toEqual([undefined, true])
  expect(await actions(fixture)).toMatchObject([
    { action: 'server.unsuspend', from: 'panel', result: 'done' },
    { action: 'server.suspend', result: 'done' },
  ])
})

test('the reason can be changed, and the suspension began when it began', async ({ fixture }) => {
  const { pass } = fixture
  const { answer } = await suspend(fixture)
  pass(60_000)

  const changed = await suspend(fixture, { reason: 'Abuse' })

  expect(changed.answer.suspension).toEqual({ reason: 'Abuse', since: answer.suspension.since })
  expect((await suspend(fixture, { reason: '   ' })).status).toBe(400)
})

test('a node that does not respond gets the suspension, and its end, with its next report', async ({ fixture }) => {
  const { testPanel, id, user } = fixture
  testPanel.node.refuse(panelEndpoints.setSuspension, new Refusal('ErrServiceNotAvailable'))

  const { answer } = await suspend(fixture)
  const start = await testPanel.send(startServer, { params: { id }, query: {} }, user)
  const { suspension } = answer
  const afterReturn = await report(fixture, [])
  const afterThat = await report(fixture, [{ server: id, suspension }])
  await end(fixture)
  const afterEnd = await report(fixture, [{ server: id, suspension }])

  expect(answer.isOnNode).toBe(false)
  expect(start.refusal).toBe('ErrServerSuspended')
  expect(afterReturn).toEqual([{ server: id, suspension }])
  expect(afterThat).toEqual([])
  expect(afterEnd).toEqual([{ server: id, suspension: null }])
})

test('SFTP logins are refused with the reason, sessions and tasks of users lose their permissions', async ({
  fixture,
}) => {
  const { testPanel, node, id, user } = fixture
  const logIn = (entered: string) => {
    const body = {
      user: getSftpUser(user.email, id),
      address: '203.0.113.7',
      with: { method: 'password' as const, password: entered },
    }
    return node.request(testPanel, sftpLogin, { body })
  }
  const { answer } = await logIn(password)
  if (answer.is !== 'granted') throw new Error('not granted')

  await suspend(fixture)

  const refused = await logIn(password)
  expect([refused.refusal, refused.metadata]).toEqual(['ErrServerSuspended', { reason }])
  expect((await logIn('wrong')).refusal).toBe('ErrInvalidCredentials')
  const sessions = await node.request(testPanel, getSftpPermissions, { body: { grants: [answer.grant] } })
  expect(sessions.answer.rights).toEqual([null])
  const tasks = await node.request(testPanel, getTaskPermissions, {
    body: { people: [{ userId: user.id, server: id }] },
  })
  expect(tasks.answer.rights).toEqual([['viewServer', 'viewServerBackups']])
})

test('users who may edit all servers suspend and see, others do not', async ({ fixture }) => {
  const { testPanel, id, user } = fixture
  const helper = await testPanel.createUser({ scopes: ['servers.edit.admin'] })
  const request = { params: { id }, body: { reason } }

  const byUser = await testPanel.send(suspendServer, request, user)
  const byHelper = await testPanel.send(suspendServer, request, helper)
  const missing = await testPanel.send(suspendServer, { ...request, params: { id: 'ffffffff' } }, helper)
  const rename = await testPanel.send(calls.renameServer, { params: { id, name: 'unpaid' } }, helper)

  expect([byUser.status, byUser.refusal]).toEqual([403, 'ErrMissingScope'])
  expect(byHelper.status).toBe(200)
  expect(missing.status).toBe(404)
  expect(rename.status).toBe(204)
  expect((await testPanel.send(endSuspension, { params: { id } }, user)).status).toBe(403)
  expect((await testPanel.send(endSuspension, { params: { id } }, helper)).status).toBe(204)
})
