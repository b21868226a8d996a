import { randomUUID } from 'node:crypto'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type {
  Evacuation,
  EvacuationOrder,
  EvacuationRequest,
  PlannedServer,
} from '@innkeeper/contract/moves/evacuations'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal } from '../access/principal.ts'
import { deleteEvacuation } from '../database/moves.ts'
import { affectsRows, lock } from '../database/rows.ts'
import type { Transaction } from '../database/schema.ts'
import type { AvailabilityService } from '../nodes/availability.ts'
import type { Rejection, ServerToPlace } from '../nodes/move-targets.ts'
import { readNodeNames } from '../nodes/named-nodes.ts'
import type { NodeRepository } from '../nodes/node-repository.ts'
import type { LocalNode } from '../nodes/node-views.ts'
import { LeasedJobs } from '../queue/leased-jobs.ts'
import { type EvacuateDeps, evacuate } from './evacuate.ts'
import { EvacuationRows, getEvacuation, type LeasedEvacuation, readEvacuation } from './evacuation-rows.ts'
import { findServersToPlace, readInOrder } from './evacuation-servers.ts'
import type { Moves } from './moves.ts'

const defaultPollMs = 1_000
const defaultTakeoverMs = 20_000
/** A node that is restarted responds again within this time. */
const defaultPatienceMs = 120_000
const rowsPerInsert = 200
/** Servers that are looked at together for a plan. */
const plannedAtOnce = 8

/** Times in milliseconds. */
export interface EvacuationOptions {
  readonly pollMs?: number | undefined
  readonly takeoverMs?: number | undefined
  readonly patienceMs?: number | undefined
}

interface Deps extends Omit<EvacuateDeps, 'rows' | 'pollMs' | 'patienceMs'>, EvacuationOptions {
  readonly availability: Pick<AvailabilityService, 'drain' | 'forget'>
  readonly repository: Pick<NodeRepository, 'all'>
  readonly localNode?: LocalNode | undefined
  /** The name of a node, unless it was deleted. */
  readonly nodeName: (id: number) => Promise<string | undefined>
  readonly now: () => number
}

interface PlanRequest {
  readonly to: number | undefined
  readonly labels: readonly string[]
  readonly order: EvacuationOrder
}

/** Moves all servers of a node to other nodes. */
export class Evacuations {
  readonly #deps: Deps
  readonly #jobs: LeasedJobs<LeasedEvacuation>

  constructor(deps: Deps) {
    this.#deps = deps
    const { log, pollMs = defaultPollMs, takeoverMs = defaultTakeoverMs, patienceMs = defaultPatienceMs } = deps
    const rows = new EvacuationRows(deps)
    this.#jobs = new LeasedJobs({
      acquireStale: () => rows.acquireStale(),
      run: (job, abort) => evacuate({ ...deps, rows, pollMs, patienceMs }, job, abort),
      takeoverMs,
      onError: (err) => log.warn({ err }, 'interrupted evacuations could not be continued'),
    })
  }

  /** Where the servers of a node would go, and which cannot be moved. */
  async plan(node: number, { to, labels, order }: PlanRequest): Promise<{ servers: PlannedServer[] }> {
    await this.#requireNodes(node, to)
    const servers = await readInOrder(this.#deps, node, order)
    const ids = servers.map(({ id }) => id)
    const toPlace = await findServersToPlace(this.#deps, { from: node, only: to, labels, ids })
    const sources = await readSources(this.#deps.moves, ids)
    const choose = await this.#simulate()
    const planned: PlannedServer[] = []
    for (const [index, { id, name }] of servers.entries()) {
      const [server, source] = [toPlace[index], sources.get(id)]
      if (!server || !source) continue
      const isKnown = !(source instanceof Refusal)
      const target = isKnown ? await choose(server, source) : source
      planned.push({
        id,
        name,
        running: isKnown && source.isStarted,
        backups: isKnown ? source.backups : 0,
        ...(target instanceof Refusal ? { error: toEnvelope(target).error } : { to: target }),
      })
    }
    return { servers: planned }
  }

  /** Begins to move the servers. Throws ErrNodeEvacuating. */
  async start(
    principal: Principal,
    node: number,
    request: EvacuationRequest,
    audit: AuditContext,
  ): Promise<Evacuation> {
    if (this.#jobs.isClosed) throw new Refusal('ErrServiceNotAvailable')
    const { db, availability, now } = this.#deps
    const { to, labels, order, atOnce, leaveBackups } = request
    audit.setSubject({ target: await this.#requireNodes(node, to) })
    const servers = await readInOrder(this.#deps, node, order)
    const row = {
      id: randomUUID(),
      node_id: node,
      to_node: to ?? null,
      labels: JSON.stringify(labels),
      server_order: order,
      at_once: atOnce,
      leave_backups: leaveBackups ? 1 : 0,
      user_id: principal.userId,
      state: 'active',
      is_cancelled: 0,
      updated_at: now(),
      lease: randomUUID() as string,
      started_at: now(),
      ended_at: null,
    }
    await auditedTransaction(audit, db, async (transaction) => {
      await lock(transaction, 'evacuations')
      const former = transaction.selectFrom('evacuations').select('id').where('node_id', '=', node)
      if (await former.where('state', '=', 'active').executeTakeFirst()) throw new Refusal('ErrNodeEvacuating')
      await deleteEvacuation(transaction, node)
      await transaction.insertInto('evacuations').values(row).execute()
      await insertServers(transaction, row.id, servers)
      await availability.drain(transaction, node)
    })
    availability.forget()
    this.#jobs.start(getEvacuation(row))
    const started = await this.find(node)
    if (!started) throw new Refusal('ErrNotFound')
    return started
  }

  /** The last evacuation of a node, if there is one. */
  async find(node: number): Promise<Evacuation | null> {
    await this.#requireNodes(node)
    return await readEvacuation(this.#deps.db, node, await readNodeNames(this.#deps))
  }

  /** Moves no further server. Throws ErrNotFound when there is nothing to cancel. */
  async cancel(node: number, audit: AuditContext): Promise<void> {
    audit.setSubject({ target: await this.#requireNodes(node) })
    await auditedTransaction(audit, this.#deps.db, async (transaction) => {
      const running = transaction
        .updateTable('evacuations')
        .set({ is_cancelled: 1 })
        .where('node_id', '=', node)
        .where('state', '=', 'active')
        .where('is_cancelled', '=', 0)
      if (!(await affectsRows(running))) throw new Refusal('ErrNotFound')
      await transaction
        .updateTable('evacuated_servers')
        .set({ state: 'cancelled' })
        .where('evacuation_id', 'in', transaction.selectFrom('evacuations').select('id').where('node_id', '=', node))
        .where('state', '=', 'waiting')
        .execute()
    })
  }

  /** Leaves the evacuations of this panel to the next one. */
  async close(): Promise<void> {
    await this.#jobs.close()
  }

  /** Returns the name of the node that is evacuated. */
  async #requireNodes(node: number, to?: number): Promise<string> {
    const { nodeName } = this.#deps
    const name = await nodeName(node)
    if (name === undefined) throw new Refusal('ErrNotFound')
    if (to === node) throw new Refusal('ErrFieldInvalid', { field: 'to' })
    if (to !== undefined && (await nodeName(to)) === undefined) throw new Refusal('ErrNodeInvalid')
    return name
  }

  /** Chooses a node for one server after another, which takes the room from those after it. */
  async #simulate() {
    const { targets, moves } = this.#deps
    const simulation = await targets.simulate()
    return async (server: ServerToPlace, source: Awaited<ReturnType<Moves['readSource']>>) => {
      const rejections: Rejection[] = []
      for (;;) {
        const { found: node, refusal } = simulation.choose(server, rejections)
        if (!node) return refusal
        const reason = await moves.check(source, node.id).catch(expectRefusal)
        if (!reason) {
          simulation.take(server, node.id)
          return node
        }
        rejections.push({ node, reason })
      }
    }
  }
}

function expectRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** What the node says about servers, or why it says nothing, by server. */
async function readSources(moves: Pick<Moves, 'readSource'>, ids: readonly string[]) {
  const found = new Map<string, Awaited<ReturnType<Moves['readSource']>> | Refusal>()
  for (let at = 0; at < ids.length; at += plannedAtOnce) {
    const read = async (id: string) => found.set(id, await moves.readSource(id).catch(expectRefusal))
    await Promise.all(ids.slice(at, at + plannedAtOnce).map(read))
  }
  return found
}

async function insertServers(
  transaction: Transaction,
  evacuation_id: string,
  servers: readonly { readonly id: string; readonly name: string }[],
): Promise<void> {
  const none = { move_id: null, to_node: null, stopped_ms: null, moved_values: null, error: null }
  const rows = servers.map(({ id, name }, position) => ({
    ...{ evacuation_id, server_id: id, position, name },
    ...{ state: 'waiting', ...none },
  }))
  for (let at = 0; at < rows.length; at += rowsPerInsert)
    await transaction
      .insertInto('evacuated_servers')
      .values(rows.slice(at, at + rowsPerInsert))
      .execute()
}
