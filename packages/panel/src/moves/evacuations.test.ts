import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type Evacuation, EvacuationRequest } from '@innkeeper/contract/moves/evacuations'
import pino from 'pino'
import { expect, onTestFinished, vi } from 'vitest'
import type { AuditContext } from '../access/audit-context.ts'
import type { Principal, Server } from '../access/principal.ts'
import { activityLog } from '../activity/activity.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { nameColumns } from '../database/server-name.ts'
import { availabilityService } from '../nodes/availability.ts'
import { moveTargets } from '../nodes/move-targets.ts'
import { nodeRepository } from '../nodes/node-repository.ts'
import { placementSettingsService } from '../nodes/placement-settings.ts'
import { nodeReports } from '../nodes/reports.ts'
import { test } from '../testing/databases.ts'
import { Evacuations } from './evacuations.ts'
import type { Moves } from './moves.ts'

const gibibyte = 1024 ** 3
const log = pino({ level: 'silent' })
const wait = { timeout: 20_000, interval: 10 }
const principal = { userId: 1, username: 'mara' } as Principal
const audit: AuditContext = { setActor() {}, setSubject() {}, skip() {}, async record() {} }

interface ServerOptions {
  readonly memory?: number
  readonly running?: boolean
  readonly players?: number
}

/** Nodes with 16 GiB and servers with limits, as they have reported. Node 1 is to be emptied. */
class Fleet {
  readonly db: Database
  /** Backups by server. */
  readonly backups = new Map<string, number>()
  /** Why nodes cannot have servers. */
  readonly refusals = new Map<number, Refusal>()
  readonly #servers: object[] = []

  constructor(db: Database) {
    this.db = db
  }

  async addNode(id: number, { used = 0, isOnline = true, labels = [] as string[] } = {}): Promise<void> {
    const name = `node-${id}`
    const ports = { public_port: 8080, private_port: 5656, sftp_port: 5657 }
    const places = { public_host: 'far', private_host: 'far', ...ports, secret: '', certificate: '' }
    await this.db
      .insertInto('nodes')
      .values({ id, name, name_key: name, ...places, joined_at: 1, created_at: 0 })
      .execute()
    const machine = {
      startedAt: '2026-01-01T00:00:00.000Z',
      cpu: { cores: 2, used: 0 },
      memory: { total: 16 * gibibyte, used: used * gibibyte },
      disk: { total: 100 * gibibyte, used: 0 },
    }
    const seen_at = isOnline ? Date.now() + 3_600_000 : 1
    const row = { node_id: id, since: 1, seen_at, skew: 0, reached_at: 0, is_reachable: 1, servers: '[]' }
    await this.db
      .insertInto('node_reports')
      .values({ ...row, body: JSON.stringify({ machine }) })
      .execute()
    const settings = JSON.stringify({ labels, memoryFactor: 1, diskFactor: 1 })
    await this.db.insertInto('node_placement').values({ node_id: id, settings }).execute()
  }

  async addServer(id: string, name: string, options: ServerOptions = {}): Promise<void> {
    const { memory = 1, running = true, players } = options
    const row = { id, ...nameColumns(name), node_id: 1, ip: '', port: 0, type: 'test', created_at: 0 }
    await this.db.insertInto('servers').values(row).execute()
    const status = { running, installing: false, state: running ? 'online' : 'offline' }
    const counts = players === undefined ? {} : { players: { online: players, max: 10 } }
    this.#servers.push({ id, status, memoryMax: memory * gibibyte, ...counts })
    const servers = JSON.stringify(this.#servers)
    await this.db.updateTable('node_reports').set({ servers }).where('node_id', '=', 1).execute()
  }

  /** A panel, with nodes that answer at once. Moves begin, and end with `endMove`. */
  panel({ patienceMs = 0, takeoverMs = 3_600_000 } = {}): Evacuations {
    const { db } = this
    const now = Date.now
    const nodeName = async (id: number, on = db) =>
      (await on.selectFrom('nodes').select('name').where('id', '=', id).executeTakeFirst())?.name
    const repository = nodeRepository({ db, now })
    const reports = nodeReports({ db, repository, version: '0', log, now })
    const availability = availabilityService({ db, nodeName, now })
    const placementSettings = placementSettingsService({ db, repository, now })
    const evacuations = new Evacuations({
      ...{ db, log, now, nodeName, repository, reports, availability, patienceMs, takeoverMs, pollMs: 10 },
      activity: activityLog({ db, now }),
      moves: this.#moves(),
      targets: moveTargets({
        ...{ db, now, repository, reports, availability, placementSettings, localNode: undefined },
        ports: { readTaken: async () => [] },
        getTemplate: async () => {
          throw new Refusal('ErrNoTemplate')
        },
      }),
    })
    onTestFinished(() => evacuations.close())
    return evacuations
  }

  #moves(): Pick<Moves, 'readSource' | 'check' | 'begin'> {
    const { db, backups, refusals } = this
    return {
      async readSource(id) {
        const server = { id } as Server
        const definition = { id, type: 'test', data: {}, run: {} } as Awaited<
          ReturnType<Moves['readSource']>
        >['definition']
        return { server, definition, backups: backups.get(id) ?? 0, isStarted: true, runtimes: [] }
      },
      check: async (_, node) => refusals.get(node),
      async begin({ server }, { node, userId, reservation = '' }, audited, onAdd) {
        const ids = { server_id: server.id, id: `move-${server.id}`, from_node: 1, to_node: node, user_id: userId }
        const at = Date.now()
        const state = { state: 'copying', bytes: 1, total_bytes: 2, updated_at: at, started_at: at, lease: 'a' }
        const row = { ...ids, ...state, error: null, attempts: 0, since: 0, data: '{}', reservation }
        await runTransaction(db, async (transaction) => {
          await transaction.insertInto('moves').values(row).execute()
          await onAdd?.(transaction, { id: row.id, values: [{ name: 'port', from: '1', to: '2' }] })
          await audited.record(transaction)
        })
        const none = { is_cancelled: 0, was_running: null, stopped_at: null, ready_at: null }
        return { ...row, ...none, copy_node: null, copy_until: null }
      },
    }
  }

  async endMove(id: string, state: 'done' | 'failed' | 'cancelled'): Promise<void> {
    const error = state === 'failed' ? JSON.stringify({ code: 'ErrCopyDiffers', msg: '' }) : null
    const times = state === 'done' ? { was_running: 1, stopped_at: 1_000, ready_at: 3_500 } : {}
    await this.db
      .updateTable('moves')
      .set({ state, error, ...times })
      .where('server_id', '=', id)
      .execute()
    if (state !== 'done') return
    const target = this.db.selectFrom('moves').select('to_node').where('server_id', '=', id)
    await this.db
      .updateTable('servers')
      .set({ node_id: (await target.executeTakeFirstOrThrow()).to_node })
      .where('id', '=', id)
      .execute()
  }
}

const start = (panel: Evacuations, request: Partial<EvacuationRequest> = {}) =>
  panel.start(principal, 1, EvacuationRequest.parse(request), audit)

/** States by name, in their order. */
const states = ({ servers }: Evacuation) => Object.fromEntries(servers.map(({ name, state }) => [name, state]))

async function becomes(panel: Evacuations, expected: Readonly<Record<string, string>>): Promise<Evacuation> {
  return await vi.waitFor(async () => {
    const found = await panel.find(1)
    expect(found && states(found)).toEqual(expected)
    return found as Evacuation
  }, wait)
}

async function ends(panel: Evacuations, state: Evacuation['state']): Promise<Evacuation> {
  return await vi.waitFor(async () => {
    const found = await panel.find(1)
    expect(found?.state).toBe(state)
    return found as Evacuation
  }, wait)
}

test('servers leave a node in the chosen order, and never more at a time than allowed', async ({ db }) => {
  const fleet = new Fleet(db)
  for (const id of [1, 2]) await fleet.addNode(id)
  await fleet.addServer('0000000a', 'Arena', { memory: 4, players: 0 })
  await fleet.addServer('0000000b', 'Bastion', { memory: 2, players: 3 })
  await fleet.addServer('0000000c', 'Castle', { memory: 3, running: false })
  const panel = fleet.panel()
  const inOrder = async (order: EvacuationRequest['order']) =>
    (await panel.plan(1, { to: undefined, labels: [], order })).servers.map(({ name }) => name)
  expect(await inOrder('stopped')).toEqual(['Castle', 'Bastion', 'Arena'])
  expect(await inOrder('players')).toEqual(['Castle', 'Arena', 'Bastion'])
  expect(await inOrder('name')).toEqual(['Arena', 'Bastion', 'Castle'])

  await start(panel, { atOnce: 2 })

  await expect(start(panel)).rejects.toMatchObject({ code: 'ErrNodeEvacuating' })
  const begun = await becomes(panel, { Castle: 'moving', Bastion: 'moving', Arena: 'waiting' })
  expect(begun).toMatchObject({ state: 'running', order: 'stopped', atOnce: 2 })
  expect(begun.servers[0]).toMatchObject({ to: { id: 2, name: 'node-2' }, bytes: 1, totalBytes: 2 })
  const availability = await db.selectFrom('node_availability').select(['node_id', 'state']).execute()
  expect(availability).toEqual([{ node_id: 1, state: 'draining' }])
  await fleet.endMove('0000000c', 'done')
  await becomes(panel, { Castle: 'moved', Bastion: 'moving', Arena: 'moving' })
  await fleet.endMove('0000000b', 'failed')
  await fleet.endMove('0000000a', 'cancelled')

  const { servers, endedAt } = await ends(panel, 'done')
  expect(endedAt).toBeDefined()
  expect(servers).toMatchObject([
    { state: 'moved', to: { id: 2 }, stoppedMs: 2_500, values: [{ name: 'port', from: '1', to: '2' }] },
    { state: 'failed', error: { code: 'ErrCopyDiffers' } },
    { state: 'cancelled' },
  ])
  const recorded = await db.selectFrom('activity').select(['action', 'server_id', 'target', 'address']).execute()
  expect(recorded.map(({ server_id }) => server_id)).toEqual(['0000000c', '0000000b', '0000000a'])
  expect(recorded[0]).toMatchObject({ action: 'server.move', target: 'node-2', address: 'panel' })
})

test('each server goes where the room is that those before it have left, and one without says why', async ({ db }) => {
  const fleet = new Fleet(db)
  await fleet.addNode(1)
  await fleet.addNode(2, { used: 6 })
  await fleet.addNode(3, { used: 8 })
  for (const name of ['a', 'b', 'c']) await fleet.addServer(`0000000${name}`, name, { memory: 7 })
  await fleet.addServer('0000000d', 'd', { memory: 1 })
  fleet.backups.set('0000000d', 3)
  const panel = fleet.panel()

  const plan = await panel.plan(1, { to: undefined, labels: [], order: 'name' })

  expect(plan.servers.map(({ to, error, backups }) => [to?.name, error?.code, backups])).toEqual([
    ['node-2', undefined, 0],
    ['node-3', undefined, 0],
    [undefined, 'ErrNoNodeFits', 0],
    ['node-2', undefined, 3],
  ])
  expect(await db.selectFrom('placements').selectAll().execute()).toEqual([])
  await start(panel, { order: 'name' })
  const report = await becomes(panel, { a: 'moving', b: 'moving', c: 'waiting', d: 'waiting' })
  expect(report.servers.map(({ to }) => to?.name).slice(0, 2)).toEqual(['node-2', 'node-3'])
  for (const id of ['0000000a', '0000000b']) await fleet.endMove(id, 'done')
  const { servers } = await ends(panel, 'done')
  // The nodes have not reported them yet: the reservations count.
  expect(servers[2]?.error).toMatchObject({ code: 'ErrNoNodeFits', metadata: { missing: 'memory' } })
  expect(servers[3]).toMatchObject({ state: 'blocked', error: { code: 'ErrMoveLeavesBackups' } })
})

test('nodes are rejected by label, plan, environment and name, with the reason', async ({ db }) => {
  const fleet = new Fleet(db)
  await fleet.addNode(1)
  await fleet.addNode(2, { labels: ['eu'] })
  await fleet.addNode(3, { used: 8, labels: ['eu', 'ssd'] })
  await fleet.addServer('0000000a', 'a')
  const panel = fleet.panel()
  const plan = async (request: { to?: number; labels?: string[] }) => {
    const { servers } = await panel.plan(1, { to: request.to, labels: request.labels ?? [], order: 'name' })
    return servers[0]?.to?.name ?? String(servers[0]?.error?.metadata?.reason ?? servers[0]?.error?.code)
  }

  expect(await plan({})).toBe('node-2')
  expect(await plan({ labels: ['ssd'] })).toBe('node-3')
  expect(await plan({ labels: ['us'] })).toBe('no node has the label us')
  expect(await plan({ to: 3 })).toBe('node-3')
  fleet.refusals.set(2, new Refusal('ErrDockerNotSupported'))
  expect(await plan({})).toBe('node-3')
  expect(await plan({ to: 2 })).toBe('ErrDockerNotSupported')
  fleet.refusals.set(3, new Refusal('ErrDockerNotSupported'))
  expect(await plan({})).toBe(
    'node-2 cannot have the server: Docker is not supported on this node. node-3 cannot have the server: Docker is not supported on this node',
  )
  await expect(panel.plan(1, { to: 1, labels: [], order: 'name' })).rejects.toMatchObject({ code: 'ErrFieldInvalid' })
  await expect(panel.plan(1, { to: 9, labels: [], order: 'name' })).rejects.toMatchObject({ code: 'ErrNodeInvalid' })
  await expect(panel.plan(9, { to: 1, labels: [], order: 'name' })).rejects.toMatchObject({ code: 'ErrNotFound' })
})

test('after a cancellation no further server is moved, and the move that has begun is completed', async ({ db }) => {
  const fleet = new Fleet(db)
  for (const id of [1, 2]) await fleet.addNode(id)
  for (const name of ['a', 'b']) await fleet.addServer(`0000000${name}`, name)
  const panel = fleet.panel()
  await start(panel, { order: 'name', atOnce: 1 })
  await becomes(panel, { a: 'moving', b: 'waiting' })

  await panel.cancel(1, audit)

  await becomes(panel, { a: 'moving', b: 'cancelled' })
  expect((await panel.find(1))?.state).toBe('cancelling')
  await expect(panel.cancel(1, audit)).rejects.toMatchObject({ code: 'ErrNotFound' })
  await fleet.endMove('0000000a', 'done')
  expect(states(await ends(panel, 'cancelled'))).toEqual({ a: 'moved', b: 'cancelled' })
  expect(await db.selectFrom('moves').select('server_id').execute()).toHaveLength(1)
  // The next one has the servers that are still there.
  await start(panel)
  await becomes(panel, { b: 'moving' })
})

test('another panel continues, and while two run only one begins moves', async ({ db }) => {
  const fleet = new Fleet(db)
  for (const id of [1, 2]) await fleet.addNode(id)
  for (const name of ['a', 'b', 'c']) await fleet.addServer(`0000000${name}`, name)
  const first = fleet.panel()
  await start(first, { order: 'name', atOnce: 1 })
  await becomes(first, { a: 'moving', b: 'waiting', c: 'waiting' })

  await first.close()
  await fleet.endMove('0000000a', 'done')
  const others = [fleet.panel({ takeoverMs: 20 }), fleet.panel({ takeoverMs: 20 })] as const

  await becomes(others[0], { a: 'moved', b: 'moving', c: 'waiting' })
  await fleet.endMove('0000000b', 'done')
  await becomes(others[1], { a: 'moved', b: 'moved', c: 'moving' })
  await db.deleteFrom('servers').where('id', '=', '0000000c').execute()
  await db.deleteFrom('moves').where('server_id', '=', '0000000c').execute()
  const { servers } = await ends(others[0], 'done')
  expect(servers[2]).toMatchObject({ state: 'failed', error: { code: 'ErrServerNotFound' } })
  expect(await db.selectFrom('activity').select('id').execute()).toHaveLength(3)
})

test('it waits for a node that is restarted, and gives up after a time', async ({ db }) => {
  const fleet = new Fleet(db)
  await fleet.addNode(1)
  await fleet.addNode(2, { isOnline: false })
  await fleet.addServer('0000000a', 'a')
  const patient = fleet.panel({ patienceMs: 3_600_000 })
  await start(patient)
  const seen_at = Date.now() + 3_600_000
  await db.updateTable('node_reports').set({ seen_at }).where('node_id', '=', 2).execute()
  await becomes(patient, { a: 'moving' })
  await fleet.endMove('0000000a', 'cancelled')
  await ends(patient, 'done')

  await db.updateTable('node_reports').set({ seen_at: 1 }).where('node_id', '=', 2).execute()
  await start(fleet.panel({ patienceMs: 0 }))
  const { servers } = await ends(patient, 'done')
  expect(servers[0]?.error?.metadata?.reason).toMatch(/node-2 is offline/)
})
