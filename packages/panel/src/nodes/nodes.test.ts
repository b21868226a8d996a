import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { putNodeRetention, putPanelRetention } from '@innkeeper/contract/backups/backup-plan'
import { keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { getNodeBackups } from '@innkeeper/contract/backups/node-backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { enrolledText, enrolmentText, enrolNode, reportNode } from '@innkeeper/contract/node-link/node-to-panel'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { socketPurpose } from '@innkeeper/contract/node-link/ticket'
import {
  createNode,
  deleteNode,
  editNode,
  getNode,
  getNodeDeployment,
  listNodeChoices,
  listNodes,
  replaceNodeSecret,
} from '@innkeeper/contract/nodes/nodes'
import { defaultPlacement } from '@innkeeper/contract/nodes/placement'
import { createServer as createGameServer } from '@innkeeper/contract/servers/new-server'
import { getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import type { JWK } from 'jose'
import pino from 'pino'
import { test as base, describe, expect, onTestFinished } from 'vitest'
import type { AuditContext } from '../access/audit-context.ts'
import type { Database } from '../database/schema.ts'
import { rateLimiter } from '../security/rate-limiter.ts'
import { changedBefore } from '../testing/changed-before.ts'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'
import { NodeClient } from './client/node-client.ts'
import { localTransport } from './client/node-transport.ts'
import { NodeTunnels } from './client/node-tunnels.ts'
import { ticketSigner } from './client/tickets.ts'
import { enrolmentService } from './enrolment.ts'
import { nodeCacheMs, nodeRepository } from './node-repository.ts'
import { nodesService } from './nodes.ts'
import { nodeReports } from './reports.ts'
import { reportRate } from './routes.ts'
import { signingKeys } from './signing-keys.ts'

const far = { name: 'far', publicHost: 'far.example.org', sftpPort: 2222 }
const log = pino({ level: 'silent' })

/** Node reports of the panels on a database. */
function reportsIn(db: Database) {
  const { now } = Date
  return nodeReports({ db, repository: nodeRepository({ db, now }), version: '', log, now })
}

/** Signing keys of the panels on a database. */
async function keysIn(db: Database) {
  const { now } = Date
  return await signingKeys({ db, reports: reportsIn(db), now })
}

/** A panel with an administrator and a controllable clock. */
interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  pass(ms: number): void
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    let passed = 0
    const testPanel = await TestPanel.start({ now: () => Date.now() + passed, log })
    const pass = (ms: number) => {
      passed += ms
    }
    await use({ testPanel, admin: await testPanel.admin(), pass })
    await testPanel.stop()
  },
})

async function added({ testPanel, admin }: Fixture, name = 'far'): Promise<number> {
  return (await testPanel.send(createNode, { body: { ...far, name } }, admin)).answer.id
}

const getProof = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url')

async function join({ testPanel }: Fixture, nodeId: number, secret: string, key: JWK) {
  const joinRequest = { nodeId, key: String(key.x), certificate: '', nonce: 'something never used' }
  const body = { ...joinRequest, proof: getProof(secret, enrolmentText(joinRequest)) }
  return await testPanel.send(enrolNode, { body })
}

async function readSecret({ testPanel, admin }: Fixture, id: number): Promise<string> {
  return (await testPanel.send(getNodeDeployment, { params: { id } }, admin)).answer.clientSecret
}

async function joined(fixture: Fixture, name?: string): Promise<SignedNodeClient> {
  const id = await added(fixture, name)
  const node = await SignedNodeClient.make(id)
  expect((await join(fixture, id, await readSecret(fixture, id), node.publicKey)).status).toBe(200)
  return node
}

/** An audit context that records nothing. */
const silent: AuditContext = { setActor() {}, setSubject() {}, skip() {}, async record() {} }

function reportAt(atMs: number, servers: readonly string[] = []) {
  const since = '2026-01-01T00:00:00.000Z'
  return {
    atMs,
    features: { features: [], environments: ['standard'], os: 'linux', arch: 'amd64', version: '0.0.0-test' },
    machine: {
      startedAt: since,
      cpu: { cores: 2, used: 10 },
      memory: { total: 100, used: 50 },
      disk: { total: 100, used: 50 },
    },
    servers: servers.map((id) => ({
      id,
      status: { running: true, installing: false, state: 'online' as const, since },
      stats: { cpu: 7, memory: 8 },
    })),
  }
}

describe('nodes', () => {
  test('can be added with default ports, edited and deleted', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const id = await added(fixture)
    const params = { id }
    expect((await testPanel.send(getNode, { params }, admin)).answer).toMatchObject({
      ...far,
      publicPort: 8080,
      privateHost: far.publicHost,
      privatePort: 5656,
      isLocal: false,
      health: { state: 'waiting', problems: [] },
    })

    await testPanel.send(editNode, { params, body: { name: 'further', publicPort: 0, privateHost: '10.0.0.2' } }, admin)
    expect((await testPanel.send(listNodes, {}, admin)).answer.map(({ name }) => name)).toEqual([
      'LocalNode',
      'further',
    ])
    expect((await testPanel.send(getNode, { params }, admin)).answer).toMatchObject({
      publicPort: 8080,
      privateHost: '10.0.0.2',
    })

    expect((await testPanel.send(deleteNode, { params, query: {} }, admin)).status).toBe(204)
    expect((await testPanel.send(getNode, { params }, admin)).status).toBe(404)
  })

  test('a node is asked for the space of its backups', async ({ fixture: { testPanel, admin } }) => {
    testPanel.node.backupUsage = [
      { server: '0a0a0a0a', backups: 2, bytes: 1024 },
      { server: '0b0b0b0b', backups: 1 },
    ]

    const { answer } = await testPanel.send(getNodeBackups, { params: { id: 0 } }, admin)

    expect(answer).toEqual(testPanel.node.backupUsage)
    expect((await testPanel.send(getNodeBackups, { params: { id: 99 } }, admin)).refusal).toBe('ErrNotFound')
    testPanel.node.refuse(panelEndpoints.getBackupUsage, new Refusal('ErrServiceNotAvailable'))
    const { refusal } = await testPanel.send(getNodeBackups, { params: { id: 0 } }, admin)
    expect(refusal).toBe('ErrServiceNotAvailable')
  })

  test('names may contain spaces, and are unique without regard to case', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const create = (name: string) => testPanel.send(createNode, { body: { ...far, name } }, admin)

    expect((await create('Frankfurt 1')).answer.name).toBe('Frankfurt 1')
    expect((await create('frankfurt 1')).refusal).toBe('ErrDuplicateNodeName')
  })

  test.for([
    ['the name of another', { ...far, name: 'FAR' }, 'ErrDuplicateNodeName'],
    ['a name that begins with a blank', { ...far, name: ' far away' }, 'ErrFieldHasURICharacters'],
    ['a name of a blank', { ...far, name: ' ' }, 'ErrFieldHasURICharacters'],
    ['a name with a slash', { ...far, name: 'far/away' }, 'ErrFieldHasURICharacters'],
    ['a port that is none', { ...far, name: 'b', publicPort: 65536 }, 'ErrFieldNotBetween'],
    ['a port below the first', { ...far, name: 'b', privatePort: -1 }, 'ErrFieldNotBetween'],
    ['a port with a fraction', { ...far, name: 'b', sftpPort: 1.5 }, 'ErrFieldInvalid'],
    ['a name that cannot be printed', { ...far, name: 'f\u00e4r' }, 'ErrFieldMustBePrintable'],
    ['a host that is none', { ...far, name: 'b', publicHost: 'not a host' }, 'ErrFieldIsInvalidHost'],
    ['SFTP on the public port', { ...far, name: 'b', publicPort: 2222 }, 'ErrFieldEqual'],
    ['SFTP on the private port', { ...far, name: 'b', privatePort: 2222 }, 'ErrFieldEqual'],
  ] as const)('a node with %s is rejected', async ([, body, code], { fixture }) => {
    await added(fixture)

    expect((await fixture.testPanel.send(createNode, { body }, fixture.admin)).refusal).toBe(code)
  })

  test('the local node cannot be changed or deleted, and one with servers cannot be deleted', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const id = await added(fixture)
    const server = await testPanel.server({ name: 'lobby' })
    await testPanel.db.updateTable('servers').set({ node_id: id }).where('id', '=', server).execute()

    expect((await testPanel.send(editNode, { params: { id: 0 }, body: {} }, admin)).refusal).toBe('ErrNodeIsLocal')
    expect((await testPanel.send(deleteNode, { params: { id: 0 }, query: {} }, admin)).refusal).toBe('ErrNodeIsLocal')
    const deleted = await testPanel.send(deleteNode, { params: { id }, query: {} }, admin)
    expect([deleted.refusal, deleted.metadata]).toEqual(['ErrNodeHasServers', { servers: 'lobby' }])
  })

  test('with force, a node that is gone permanently is deleted with its servers', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const id = await added(fixture)
    const [deletedServer, kept] = [await testPanel.server({ name: 'gone' }), await testPanel.server({ name: 'kept' })]
    await testPanel.db.updateTable('servers').set({ node_id: id }).where('id', '=', deletedServer).execute()
    const editor = await testPanel.createUser({ scopes: ['nodes.edit'] })

    const refused = await testPanel.send(deleteNode, { params: { id }, query: { force: 'true' } }, editor)
    const { status } = await testPanel.send(deleteNode, { params: { id }, query: { force: 'true' } }, admin)

    expect([refused.refusal, refused.metadata]).toEqual(['ErrMissingScope', { scope: 'servers.delete' }])
    expect(status).toBe(204)
    expect(await testPanel.db.selectFrom('servers').select('id').execute()).toEqual([{ id: kept }])
  })
})

test('a server cannot be created on a node that is deleted concurrently', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  const { nodeId } = await joined(fixture)
  const body = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' }, node: nodeId }
  // The panel has just read its nodes.
  await testPanel.send(listNodes, {}, admin)
  await testPanel.db.deleteFrom('nodes').where('id', '=', nodeId).execute()

  const { refusal } = await testPanel.send(createGameServer, { body }, admin)

  expect(refusal).toBe('ErrNodeInvalid')
})

test('replacing the secret disconnects the node and aborts pending requests', async ({ fixture }) => {
  const { testPanel } = fixture
  const { nodeId } = await joined(fixture)
  let passed = 0
  const now = () => Date.now() + passed
  const nodes = nodesService({
    localNode: undefined,
    repository: nodeRepository({ db: testPanel.db, now }),
    reports: reportsIn(testPanel.db),
    availability: { read: async () => new Map(), requireActive: async () => {} },
    placementSettings: { read: async () => () => defaultPlacement },
    rooms: { read: async () => new Map() },
    masterUrl: () => undefined,
    tickets: { sign: async () => 'ticket', keyId: async () => 'key' },
    tunnels: new NodeTunnels({ log }),
    log,
    now,
  })
  const joinedAt = async (joined_at: number | null) => {
    await testPanel.db.updateTable('nodes').set({ joined_at }).where('id', '=', nodeId).execute()
    passed += nodeCacheMs
  }
  const before = await nodes.clientFor(nodeId)
  await nodes.reconcile()
  expect(await nodes.clientFor(nodeId)).toBe(before)

  await joinedAt(null)
  await nodes.reconcile()
  await joinedAt(1)

  expect(await nodes.clientFor(nodeId)).not.toBe(before)
  await nodes.close()
})

test('live sockets end with the connection to their node', async ({ fixture }) => {
  const { testPanel } = fixture
  const server = await testPanel.server()
  const client = new NodeClient(
    { nodeId: 0, transport: localTransport(testPanel.node.socketPath) },
    ticketSigner(await keysIn(testPanel.db), Date.now),
  )
  const socket = await client.openSocket({ userId: 1, permissions: ['viewServer'] }, server, socketPurpose)
  const closed = once(socket, 'close')

  await client.close()

  await closed
})

describe('joining', () => {
  test("a node with the right secret joins once, and receives the panel's proof", async ({ fixture }) => {
    const id = await added(fixture)
    const secret = await readSecret(fixture, id)
    const [node, other] = [await SignedNodeClient.make(id), await SignedNodeClient.make(id)]

    const { answer } = await join(fixture, id, secret, node.publicKey)
    expect(answer.proof).toBe(getProof(secret, enrolledText('something never used')))
    expect(await readSecret(fixture, id)).toBe('')
    // The response was lost: the same node repeats the request.
    expect((await join(fixture, id, secret, node.publicKey)).status).toBe(200)
    expect((await join(fixture, id, secret, other.publicKey)).refusal).toBe('ErrTokenInvalid')
  })

  test('viewing the secret of a node is recorded, until the node has joined', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const id = await added(fixture)
    const entries = async () =>
      (await testPanel.send(listActivity, { query: { action: 'node.secret.view' } }, admin)).answer.activity

    const secret = await readSecret(fixture, id)
    expect(await entries()).toMatchObject([{ user: { id: admin.id }, target: `far (${id})`, result: 'done' }])

    await join(fixture, id, secret, (await SignedNodeClient.make(id)).publicKey)
    await readSecret(fixture, id)
    expect(await entries()).toHaveLength(1)
  })

  test('a wrong secret is rejected, and another node cannot join with a used one', async ({ fixture }) => {
    const id = await added(fixture)
    const { publicKey } = await SignedNodeClient.make(id)

    expect((await join(fixture, id, 'guessed', publicKey)).refusal).toBe('ErrTokenInvalid')
    expect((await join(fixture, id + 1, await readSecret(fixture, id), publicKey)).refusal).toBe('ErrTokenInvalid')
  })

  test.for([
    ['another one joins', { joined_at: 1 }, '{}'],
    ['its secret is replaced', { secret: 'new' }, undefined],
    ['it is deleted', undefined, undefined],
  ] as const)('a node does not join when %s concurrently', async ([, columns, jwk], { fixture }) => {
    const { db } = fixture.testPanel
    const id = await added(fixture)
    const node = await SignedNodeClient.make(id)
    const joinRequest = { nodeId: id, key: String(node.publicKey.x), certificate: '', nonce: 'something never used' }
    const proof = getProof(await readSecret(fixture, id), enrolmentText(joinRequest))
    const { now } = Date
    const change = () =>
      db.transaction().execute(async (transaction) => {
        if (jwk) await transaction.insertInto('node_keys').values({ node_id: id, jwk, created_at: 1 }).execute()
        await (columns
          ? transaction.updateTable('nodes').set(columns).where('id', '=', id).execute()
          : transaction.deleteFrom('nodes').where('id', '=', id).execute())
      })
    const enrolment = enrolmentService({
      db: changedBefore(db, change),
      repository: nodeRepository({ db, now }),
      limiter: rateLimiter({ db, now }),
      keys: await keysIn(db),
      now,
    })

    const joining = enrolment.enrol({ ...joinRequest, proof }, '127.0.0.1', silent)

    await expect(joining).rejects.toMatchObject({ code: 'ErrTokenInvalid' })
    const kept = await db.selectFrom('node_keys').select('jwk').where('node_id', '=', id).executeTakeFirst()
    expect(kept?.jwk).toBe(jwk)
  })

  test('after replacing the secret the old key is rejected', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const node = await joined(fixture)
    const report = () => node.request(testPanel, reportNode, { body: reportAt(Date.now()) })
    expect((await report()).status).toBe(200)

    await testPanel.send(replaceNodeSecret, { params: { id: node.nodeId } }, admin)

    expect((await report()).refusal).toBe('ErrTokenInvalid')
  })
})

describe('reports', () => {
  test('a node receives the default retention of backups with the response to its report', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const node = await joined(fixture)
    const retention = { ...keepEverything, weekly: 4 }
    await testPanel.send(putPanelRetention, { body: retention }, admin)

    const report = async () => (await node.request(testPanel, reportNode, { body: reportAt(Date.now()) })).answer

    const ofPanel = await report()
    const own = { ...keepEverything, last: 3 }
    await testPanel.send(putNodeRetention, { params: { id: node.nodeId }, body: own }, admin)
    const ofNode = await report()
    await testPanel.send(putNodeRetention, { params: { id: node.nodeId }, body: null }, admin)

    expect(ofPanel).toMatchObject({ backupRetention: retention, backupRetentionSource: 'panel' })
    expect(ofNode).toMatchObject({ backupRetention: own, backupRetentionSource: 'node' })
    expect(await report()).toMatchObject({ backupRetention: retention, backupRetentionSource: 'panel' })
  })

  test('a node is online while it reports, offline after its silence, and listed with its status', async ({
    fixture,
  }) => {
    const { testPanel, admin, pass } = fixture
    const node = await joined(fixture)
    const server = await testPanel.server()
    await testPanel.db.updateTable('servers').set({ node_id: node.nodeId }).where('id', '=', server).execute()
    await node.request(testPanel, reportNode, { body: reportAt(Date.now(), [server]) })
    const health = async () =>
      (await testPanel.send(getNode, { params: { id: node.nodeId } }, admin)).answer.health ?? expect.fail()
    const usage = async () => (await testPanel.send(getUsage, { query: { ids: server } }, admin)).answer[0]

    expect(await health()).toMatchObject({ servers: { total: 1, running: 1 } })
    expect(await usage()).toMatchObject({ status: { state: 'online' }, stats: { cpu: 7 } })
    expect(await usage()).not.toHaveProperty('isOld')

    pass(limits.nodeOfflineMs - 2_000)
    // Nothing listens at its address, so that it is `degraded` as soon as the panel checks.
    expect(['online', 'degraded']).toContain((await health()).state)
    // Polling of a page, so that it shows the node as offline in time.
    pass(2_000)
    expect(limits.nodeOfflineMs + Math.max(limits.nodeReportEveryMs, limits.usageEveryMs)).toBeLessThan(15_000)
    expect((await health()).state).toBe('offline')
    expect(await usage()).toMatchObject({ isOld: true, status: { state: 'online' } })
    expect((await testPanel.send(listServers, { query: {} }, admin)).answer.servers[0]?.node.name).toBe('far')
  })

  test.for([
    ['without a part that this panel needs', { machine: undefined }],
    ['of an older protocol', { protocol: 0 }],
  ] as const)(
    'a node whose report is %s speaks another version, and is not offline',
    async ([, changed], { fixture }) => {
      const { testPanel, admin } = fixture
      const node = await joined(fixture)
      const health = async () =>
        (await testPanel.send(getNode, { params: { id: node.nodeId } }, admin)).answer.health ?? expect.fail()
      const report = async (more: object) =>
        await node.request(testPanel, reportNode, { body: { ...reportAt(Date.now()), ...more } })

      const refused = await report(changed)
      const unknown = await health()
      await report({ fieldOfNewer: 1, events: [{ id: 'e', type: 'newEvent' }] })

      expect(refused).toMatchObject({ status: 400 })
      expect(unknown).toMatchObject({ state: 'degraded', problems: expect.arrayContaining(['otherProtocol']) })
      expect((await health()).problems).not.toContain('otherProtocol')
    },
  )

  test('lists do not wait for remote nodes', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const connections: Socket[] = []
    const machine = createServer((connection) => connections.push(connection)).listen(0, '127.0.0.1')
    await once(machine, 'listening')
    const node = await joined(fixture)
    const { port: privatePort } = machine.address() as AddressInfo
    const place = { privateHost: '127.0.0.1', privatePort }
    await testPanel.send(editNode, { params: { id: node.nodeId }, body: place }, admin)
    const server = await testPanel.server()
    await testPanel.db.updateTable('servers').set({ node_id: node.nodeId }).where('id', '=', server).execute()

    const replies = await Promise.all([
      testPanel.send(listServers, { query: { counts: 'true' } }, admin),
      testPanel.send(getUsage, { query: { ids: server } }, admin),
      testPanel.send(listNodes, {}, admin),
      testPanel.send(listNodeChoices, {}, admin),
    ])

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    // The panel has not given up the connection for states, which the machine does not answer.
    expect(connections.filter(({ readyState }) => readyState !== 'open')).toEqual([])
    machine.close()
  })

  test('a node can only report its own servers', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const [liar, honest] = [await joined(fixture), await joined(fixture, 'honest')]
    const [ownServer, foreign] = [await testPanel.server(), await testPanel.server()]
    await testPanel.db.updateTable('servers').set({ node_id: liar.nodeId }).where('id', '=', ownServer).execute()
    await testPanel.db.updateTable('servers').set({ node_id: honest.nodeId }).where('id', '=', foreign).execute()

    await liar.request(testPanel, reportNode, { body: reportAt(Date.now(), [ownServer, foreign, 'ffffffff']) })

    const usage = async () => {
      const { answer } = await testPanel.send(getUsage, { query: { ids: `${ownServer},${foreign}` } }, admin)
      return [ownServer, foreign].map((id) => answer.find((one) => one.id === id)?.status !== undefined)
    }
    expect(await usage()).toEqual([true, false])
    const { health } = (await testPanel.send(getNode, { params: { id: liar.nodeId } }, admin)).answer
    expect(health?.servers).toEqual({ total: 1, running: 1 })
    // Its report about a server is ignored after the server has moved.
    await testPanel.db.updateTable('servers').set({ node_id: honest.nodeId }).where('id', '=', ownServer).execute()
    expect(await usage()).toEqual([false, false])
  })

  test('a report that is too large is rejected', async ({ fixture }) => {
    const { testPanel } = fixture
    const node = await joined(fixture)
    const server = await testPanel.server()
    await testPanel.db.updateTable('servers').set({ node_id: node.nodeId }).where('id', '=', server).execute()
    const report = reportAt(Date.now(), [server])
    const since = 'x'.repeat(100_000)
    const long = { ...report, features: { ...report.features, more: since } }
    const servers = report.servers.map((one) => ({ ...one, status: { ...one.status, since } }))

    expect((await node.request(testPanel, reportNode, { body: long })).refusal).toBe('ErrFieldTooLarge')
    expect((await node.request(testPanel, reportNode, { body: { ...report, servers } })).refusal).toBe(
      'ErrFieldTooLarge',
    )
    const timeless = { ...report, machine: { ...report.machine, startedAt: 'yesterday' } }
    expect((await node.request(testPanel, reportNode, { body: timeless })).status).toBe(400)
    expect((await node.request(testPanel, reportNode, { body: { ...report, atMs: 1e300 } })).status).toBe(400)
    expect((await node.request(testPanel, reportNode, { body: report })).status).toBe(200)
  })

  test('a node that reports too often is rate-limited', async ({ fixture }) => {
    const { testPanel } = fixture
    const [node, other] = [await joined(fixture), await joined(fixture, 'other')]
    const report = async (by: SignedNodeClient) =>
      (await by.request(testPanel, reportNode, { body: reportAt(Date.now()) })).status

    const all = await Promise.all(Array.from({ length: 2 * reportRate.burst }, () => report(node)))

    expect(all.filter((status) => status === 200).length).toBeGreaterThanOrEqual(reportRate.burst)
    expect(all).toContain(429)
    expect(await report(other)).toBe(200)
  })

  test('a report of a node that is being deleted is ignored', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const { nodeId } = await joined(fixture)
    const reports = reportsIn(testPanel.db)
    await reports.save(nodeId, reportAt(1))
    await testPanel.send(deleteNode, { params: { id: nodeId }, query: {} }, admin)

    await expect(reports.save(nodeId, reportAt(2))).rejects.toMatchObject({ code: 'ErrNodeInvalid' })
    await expect(reports.saveClockSkew(nodeId, 60_000)).rejects.toMatchObject({ code: 'ErrNodeInvalid' })

    expect(await testPanel.db.selectFrom('node_reports').selectAll().execute()).toEqual([])
  })

  test('a clock that is wrong from the start is reported for a node that waits', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const node = await joined(fixture)
    const { method, path } = reportNode
    const token = await node.token(`${method} ${path}`, { iat: 86_400, exp: 86_460 })

    const { refusal } = await testPanel.request(method, path, reportAt(86_400_000), { ...admin, token })

    expect(refusal).toBe('ErrClockSkew')
    const health = async () => (await testPanel.send(getNode, { params: { id: node.nodeId } }, admin)).answer.health
    expect(await health()).toMatchObject({ state: 'waiting', problems: ['clockSkew'] })
    await node.request(testPanel, reportNode, { body: reportAt(Date.now()) })
    expect(await health()).toMatchObject({ problems: [] })
  })

  test('a wrong clock and a full disk are problems', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const node = await joined(fixture)
    const report = reportAt(Date.now() + 3_600_000)
    const machine = { ...report.machine, disk: { total: 100, used: 99 } }
    await node.request(testPanel, reportNode, { body: { ...report, machine } })

    const { health } = (await testPanel.send(getNode, { params: { id: node.nodeId } }, admin)).answer
    expect(health).toMatchObject({ state: 'degraded' })
    expect(health?.problems).toEqual(expect.arrayContaining(['clockSkew', 'diskFull']))
    expect(health?.clockSkewMs).toBeGreaterThan(3_590_000)
  })

  test('a node that reports, but is unreachable for the panel, is degraded, and checked with each report', async ({
    fixture,
  }) => {
    const { testPanel, admin } = fixture
    const node = await joined(fixture)
    let attempts = 0
    const listener = createServer((socket) => {
      attempts++
      socket.destroy()
    })
    onTestFinished(() => void listener.close())
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const private_port = (listener.address() as AddressInfo).port
    await testPanel.db
      .updateTable('nodes')
      .set({ private_host: '127.0.0.1', private_port })
      .where('id', '=', node.nodeId)
      .execute()
    const report = () => node.request(testPanel, reportNode, { body: reportAt(Date.now()) })

    await report()
    await expect
      .poll(async () => (await testPanel.send(getNode, { params: { id: node.nodeId } }, admin)).answer.health, {
        timeout: 10_000,
      })
      .toMatchObject({ state: 'degraded', problems: ['unreachable'] })
    const before = attempts
    await report()
    await expect.poll(() => attempts, { timeout: 10_000 }).toBeGreaterThan(before)
  })
})
