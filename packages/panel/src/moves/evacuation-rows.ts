import { ReportedError } from '@innkeeper/contract/errors/refusal-envelope'
import {
  type EvacuatedServer,
  type EvacuatedState,
  type Evacuation,
  evacuatedStates,
  evacuationOrders,
} from '@innkeeper/contract/moves/evacuations'
import { MovedValue } from '@innkeeper/contract/moves/moves'
import { NodeLabels } from '@innkeeper/contract/nodes/placement'
import { z } from 'zod'
import { affectsRows, runTransaction } from '../database/rows.ts'
import type { Database, RowChanges, StoredRow, Transaction } from '../database/schema.ts'
import { LeasedQueue } from '../queue/leased-queue.ts'

/** Age of a row that no panel renews any more. */
const staleMs = 60 * 1000

/** An evacuation that this panel makes. */
export interface LeasedEvacuation {
  readonly id: string
  readonly lease: string
  readonly node: number
  readonly to: number | undefined
  readonly labels: readonly string[]
  readonly atOnce: number
  readonly leaveBackups: boolean
  readonly userId: number
}

type Lease = Pick<LeasedEvacuation, 'id' | 'lease'>
type ServerRow = StoredRow<'evacuated_servers'>

interface Deps {
  readonly db: Database
  readonly now: () => number
}

/** The queue of evacuations. Only the panel with the lease of one moves its servers, and renews the lease. */
export class EvacuationRows {
  readonly #deps: Deps
  readonly #queue: LeasedQueue

  constructor(deps: Deps) {
    this.#deps = deps
    this.#queue = new LeasedQueue(deps.db, 'evacuations')
  }

  /** Leases those whose panel is gone. */
  async acquireStale(): Promise<readonly LeasedEvacuation[]> {
    const { db, now } = this.#deps
    const stale = await db
      .selectFrom('evacuations')
      .selectAll()
      .where('state', '=', 'active')
      .where('updated_at', '<', now() - staleMs)
      .execute()
    return (await this.#queue.acquire(stale, () => ({ updated_at: now() }))).map(getEvacuation)
  }

  /** Returns whether this panel has the lease. */
  async renew(lease: Lease, on: Database | Transaction = this.#deps.db): Promise<boolean> {
    return await affectsRows(this.#leased(lease, on).set({ updated_at: this.#deps.now() }))
  }

  /** Lets another panel continue it. */
  async release(lease: Lease): Promise<void> {
    await this.#leased(lease).set({ lease: null, updated_at: 0 }).execute()
  }

  async end(lease: Lease): Promise<void> {
    const at = this.#deps.now()
    await this.#leased(lease).set({ state: 'ended', updated_at: at, ended_at: at }).execute()
  }

  /** The servers in a state, in their order. */
  async servers(id: string, state: EvacuatedState): Promise<readonly ServerRow[]> {
    return await this.#deps.db
      .selectFrom('evacuated_servers')
      .selectAll()
      .where('evacuation_id', '=', id)
      .where('state', '=', state)
      .orderBy('position')
      .execute()
  }

  /** Changes a server in the state in which it was read. Returns whether this panel has the lease and the state is the same. */
  async save(
    lease: Lease,
    { server_id, state }: Pick<ServerRow, 'server_id' | 'state'>,
    changes: RowChanges<'evacuated_servers'> & { readonly state: EvacuatedState },
    within?: Transaction,
  ): Promise<boolean> {
    const save = async (transaction: Transaction): Promise<boolean> => {
      if (!(await this.renew(lease, transaction))) return false
      const update = transaction
        .updateTable('evacuated_servers')
        .set(changes)
        .where('evacuation_id', '=', lease.id)
        .where('server_id', '=', server_id)
        .where('state', '=', state)
      return await affectsRows(update)
    }
    return within ? await save(within) : await runTransaction(this.#deps.db, save)
  }

  #leased({ id, lease }: Lease, on: Database | Transaction = this.#deps.db) {
    return this.#queue.updateLeased(id, lease, on).where('state', '=', 'active')
  }
}

export function getEvacuation(row: StoredRow<'evacuations'> & { readonly lease: string }): LeasedEvacuation {
  return {
    id: row.id,
    lease: row.lease,
    node: row.node_id,
    to: row.to_node ?? undefined,
    labels: parseLabels(row.labels),
    atOnce: row.at_once,
    leaveBackups: row.leave_backups === 1,
    userId: row.user_id,
  }
}

/** The last evacuation of a node as administrators see it; `null` when there was none. */
export async function readEvacuation(
  db: Database,
  node: number,
  nodeName: (id: number) => string,
): Promise<Evacuation | null> {
  const row = await db.selectFrom('evacuations').selectAll().where('node_id', '=', node).executeTakeFirst()
  if (!row) return null
  const servers = await db
    .selectFrom('evacuated_servers')
    .leftJoin('moves', (join) =>
      join
        .onRef('moves.server_id', '=', 'evacuated_servers.server_id')
        .onRef('moves.id', '=', 'evacuated_servers.move_id'),
    )
    .selectAll('evacuated_servers')
    .select(['moves.bytes', 'moves.total_bytes'])
    .where('evacuation_id', '=', row.id)
    .orderBy('position')
    .execute()
  const user = await db.selectFrom('users').select('username').where('id', '=', row.user_id).executeTakeFirst()
  const [isCancelled, hasEnded] = [row.is_cancelled === 1, row.state === 'ended']
  return {
    state: hasEnded ? (isCancelled ? 'cancelled' : 'done') : isCancelled ? 'cancelling' : 'running',
    ...(row.to_node !== null && { to: { id: row.to_node, name: nodeName(row.to_node) } }),
    labels: parseLabels(row.labels),
    order: z.enum(evacuationOrders).parse(row.server_order),
    atOnce: row.at_once,
    leaveBackups: row.leave_backups === 1,
    ...(user && { startedBy: user.username }),
    startedAt: new Date(row.started_at).toISOString(),
    ...(row.ended_at !== null && { endedAt: new Date(row.ended_at).toISOString() }),
    servers: servers.map((server) => toEvacuatedServer(server, nodeName)),
  }
}

type ServerWithMove = ServerRow & { readonly bytes: number | null; readonly total_bytes: number | null }

function toEvacuatedServer(row: ServerWithMove, nodeName: (id: number) => string): EvacuatedServer {
  const { to_node, bytes, total_bytes, stopped_ms, moved_values, error } = row
  const state = z.enum(evacuatedStates).parse(row.state)
  return {
    id: row.server_id,
    name: row.name,
    state,
    ...(to_node !== null && { to: { id: to_node, name: nodeName(to_node) } }),
    ...(state === 'moving' && bytes !== null && { bytes }),
    ...(state === 'moving' && total_bytes !== null && { totalBytes: total_bytes }),
    ...(stopped_ms !== null && { stoppedMs: stopped_ms }),
    ...(moved_values !== null && { values: z.array(MovedValue).parse(JSON.parse(moved_values)) }),
    ...(error !== null && { error: ReportedError.parse(JSON.parse(error)) }),
  }
}

const parseLabels = (labels: string): string[] => NodeLabels.parse(JSON.parse(labels))
