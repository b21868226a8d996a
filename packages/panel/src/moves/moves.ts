import { randomUUID } from 'node:crypto'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Move, MovedValue, MovePlan, MoveRequest } from '@innkeeper/contract/moves/moves'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { Logger } from 'pino'
import { getServer, serverColumns } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal, Server } from '../access/principal.ts'
import type { ActivityLog } from '../activity/activity.ts'
import { findMove, isActive } from '../database/moves.ts'
import { affectsRows, lock, runTransaction } from '../database/rows.ts'
import type { Database, StoredRow, Transaction } from '../database/schema.ts'
import { readNodeNames } from '../nodes/named-nodes.ts'
import type { NodeRepository } from '../nodes/node-repository.ts'
import type { LocalNode } from '../nodes/node-views.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PortsService } from '../nodes/ports.ts'
import { LeasedJobs } from '../queue/leased-jobs.ts'
import { makeMove } from './make-move.ts'
import { type FormerCopy, MoveLeases } from './move-leases.ts'
import { cancellableStates, canGoBack, getMove, getView, type LeasedMove } from './move-rows.ts'
import { checkTarget, listValues, movedValues, portsOf, readSource, type Source } from './plan.ts'

const defaultPollMs = 1_000
const defaultTakeoverMs = 20_000
const defaultReadyMs = 10 * 60 * 1000
const cleanupMs = 60_000
const deleteTimeoutMs = 120_000
/** The deletion of a copy may have begun. */
const goBackMarginMs = 5_000

/** Times in milliseconds. */
export interface MoveOptions {
  /** Interval at which progress is stored and cancellation is noticed. */
  readonly pollMs?: number | undefined
  /** Interval of looks for moves whose panel is gone. */
  readonly takeoverMs?: number | undefined
  /** How long the start on the new node may take. */
  readonly readyMs?: number | undefined
  /** How long the former node keeps the files. */
  readonly keptMs?: number | undefined
}

interface Deps extends MoveOptions {
  readonly db: Database
  readonly nodes: Pick<
    NodesService,
    'clientFor' | 'requireForCreate' | 'readFeatures' | 'lockForUpdate' | 'lockForNewServer'
  >
  readonly repository: Pick<NodeRepository, 'all'>
  readonly localNode?: LocalNode | undefined
  readonly ports: Pick<PortsService, 'keep' | 'reserve' | 'release' | 'extend'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly log: Logger
  readonly now: () => number
}

/** Moves servers to other nodes, and back. */
export class Moves {
  readonly #deps: Deps
  readonly #leases: MoveLeases
  readonly #jobs: LeasedJobs<LeasedMove>
  readonly #cleanup: PeriodicJob

  constructor(deps: Deps) {
    const { log, pollMs = defaultPollMs, takeoverMs = defaultTakeoverMs, readyMs = defaultReadyMs } = deps
    this.#deps = deps
    const leases = new MoveLeases(deps)
    this.#leases = leases
    const cleanup = new PeriodicJob({
      everyMs: cleanupMs,
      run: () => this.#deleteCopies(),
      onError: (err) => log.warn({ err }, 'copies of moved servers could not be read'),
    }).start()
    this.#cleanup = cleanup
    this.#jobs = new LeasedJobs({
      acquireStale: () => leases.acquireStale(),
      async run(move, abort) {
        await makeMove({ ...deps, pollMs, readyMs, leases }, move, abort)
        cleanup.wake()
      },
      takeoverMs,
      onError: (err) => log.warn({ err }, 'interrupted moves could not be continued'),
    })
  }

  /** What a move would change. */
  async plan(id: string, node: number): Promise<MovePlan> {
    const source = await this.readSource(id)
    const error = (await this.check(source, node)) ?? (await this.#refusalOfNode(node))
    const { definition, backups, isStarted } = source
    const values = movedValues(definition, await this.#deps.ports.keep(node, portsOf(definition)))
    return {
      values: listValues(definition, values),
      backups,
      running: isStarted,
      ...(error && { error: toEnvelope(error).error }),
    }
  }

  /** Begins a move. Throws why it is not possible. */
  async start(principal: Principal, id: string, request: MoveRequest, audit: AuditContext): Promise<Move> {
    if (this.#jobs.isClosed) throw new Refusal('ErrServiceNotAvailable')
    const { node, leaveBackups } = request
    const source = await this.readSource(id)
    const error = await this.check(source, node)
    if (error) throw error
    if (source.backups > 0 && !leaveBackups) throw new Refusal('ErrMoveLeavesBackups', { count: source.backups })
    const nodeName = await readNodeNames(this.#deps)
    audit.setSubject({ target: nodeName(node) })
    const row = await this.begin(source, { node, userId: principal.userId }, audit)
    return getView(row, nodeName, this.#deps.now())
  }

  /** What the node of a server says about it. Throws ErrServerMoving and ErrServerMoved because of its last move. */
  async readSource(id: string): Promise<Source> {
    const server = await this.#findServer(id)
    await this.#requireNoMove(id)
    return await readSource(this.#deps, server)
  }

  /** Why another node cannot have the server. */
  async check(source: Source, node: number): Promise<Refusal | undefined> {
    return await checkTarget(this.#deps, source, node)
  }

  /** Begins a move to a node that can have the server. `onAdd` is called in the transaction that stores it. */
  async begin(
    { server, definition }: Source,
    { node, userId, reservation }: NewMove,
    audit: AuditContext,
    onAdd?: OnMoveAdded,
  ): Promise<StoredRow<'moves'>> {
    const { ports, now } = this.#deps
    const reserved = await ports.reserve(node, portsOf(definition), [], { keepsFree: true, id: reservation })
    const values = movedValues(definition, reserved.ports)
    const row = getRow(server, { node, userId, reservation: reserved.id, values, now: now() })
    let isAdded = false
    try {
      await this.#add(row, audit, (transaction) =>
        onAdd?.(transaction, { id: row.id, values: listValues(definition, values) }),
      )
      isAdded = true
    } finally {
      if (!isAdded) await ports.release(reserved.id, { isCreated: false })
    }
    this.#jobs.start(getMove(row))
    return row
  }

  /** The last move of a server, if there is one. Throws ErrServerNotFound. */
  async find(id: string): Promise<Move | null> {
    await this.#findServer(id)
    const row = await findMove(this.#deps.db, id)
    return row ? getView(row, await readNodeNames(this.#deps), this.#deps.now()) : null
  }

  /** The panel that makes the move notices it within a second. Throws ErrServerMoved after the server has changed its node. */
  async cancel(id: string, audit: AuditContext): Promise<void> {
    await this.#require(id)
    await auditedTransaction(audit, this.#deps.db, async (transaction) => {
      const update = transaction.updateTable('moves').set({ is_cancelled: 1 }).where('server_id', '=', id)
      if (!(await affectsRows(update.where('state', 'in', cancellableStates)))) throw new Refusal('ErrServerMoved')
    })
  }

  /** Moves the server back to its former node. Throws ErrNotFound when that has no copy any more. */
  async goBack(id: string, audit: AuditContext): Promise<void> {
    const { db, now } = this.#deps
    const row = await this.#require(id)
    if (!canGoBack(row, now())) throw new Refusal('ErrNotFound')
    const lease = randomUUID()
    await auditedTransaction(audit, db, async (transaction) => {
      const moves = transaction.updateTable('moves').where('server_id', '=', id)
      if (row.state === 'starting') {
        if (!(await affectsRows(moves.set({ is_cancelled: 1 }).where('state', '=', 'starting'))))
          throw new Refusal('ErrStaleVersion')
        return
      }
      const changes = { state: 'goingBack', lease, updated_at: now(), error: null, was_running: null, attempts: 0 }
      const going = moves.set({ ...changes, copy_node: null, copy_until: null })
      const kept = going.where('state', '=', 'done').where('copy_until', '>', now() + goBackMarginMs)
      if (!(await affectsRows(kept))) throw new Refusal('ErrNotFound')
    })
    if (row.state !== 'starting') this.#jobs.start(getMove({ ...(await this.#require(id)), lease }))
  }

  /** Deletes the copy on the former node. */
  async deleteCopy(id: string, audit: AuditContext): Promise<void> {
    const { db, now } = this.#deps
    if (!canGoBack(await this.#require(id), now())) throw new Refusal('ErrNotFound')
    await auditedTransaction(audit, db, async (transaction) => {
      const moves = transaction.updateTable('moves').set({ copy_until: now() }).where('server_id', '=', id)
      if (!(await affectsRows(moves.where('state', '=', 'done')))) throw new Refusal('ErrServerMoving')
    })
    await this.#cleanup.run()
  }

  /** Leaves the moves of this panel to the next one. */
  async close(): Promise<void> {
    await Promise.all([this.#jobs.close(), this.#cleanup.close()])
  }

  async #findServer(id: string): Promise<Server> {
    const row = await this.#deps.db.selectFrom('servers').select(serverColumns).where('id', '=', id).executeTakeFirst()
    if (!row) throw new Refusal('ErrServerNotFound')
    return getServer(row, this.#deps.now())
  }

  async #require(id: string): Promise<StoredRow<'moves'>> {
    const row = await findMove(this.#deps.db, id)
    if (!row) throw new Refusal('ErrNotFound')
    return row
  }

  /** Throws ErrServerMoving and ErrServerMoved because of the last move of a server. */
  async #requireNoMove(id: string): Promise<void> {
    const row = await findMove(this.#deps.db, id)
    if (!row) return
    if (isActive(row)) throw new Refusal('ErrServerMoving')
    if (row.copy_node !== null) throw new Refusal('ErrServerMoved')
  }

  /** Why a node takes no new servers. */
  async #refusalOfNode(node: number): Promise<Refusal | undefined> {
    const { db, nodes } = this.#deps
    try {
      await runTransaction(db, (transaction) => nodes.lockForNewServer(transaction, node))
      return undefined
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }

  async #add(
    row: StoredRow<'moves'>,
    audit: AuditContext,
    onAdd: (transaction: Transaction) => Promise<void> | undefined,
  ): Promise<void> {
    const { db, nodes } = this.#deps
    await auditedTransaction(audit, db, async (transaction) => {
      await lock(transaction, 'moves')
      await nodes.lockForNewServer(transaction, row.to_node)
      const former = await transaction
        .selectFrom('moves')
        .selectAll()
        .where('server_id', '=', row.server_id)
        .executeTakeFirst()
      if (former && (isActive(former) || former.copy_node !== null)) throw new Refusal('ErrServerMoving')
      const server = await transaction
        .selectFrom('servers')
        .select('node_id')
        .where('id', '=', row.server_id)
        .executeTakeFirst()
      if (server?.node_id !== row.from_node) throw new Refusal('ErrServerNotFound')
      await transaction.deleteFrom('moves').where('server_id', '=', row.server_id).execute()
      await transaction.insertInto('moves').values(row).execute()
      await onAdd(transaction)
    })
  }

  async #deleteCopies(): Promise<void> {
    for (const copy of await this.#leases.expiredCopies()) {
      await this.#delete(copy).catch((err: unknown) =>
        this.#deps.log.warn({ err, server: copy.server, nodeId: copy.node }, 'a copy was not deleted; retrying later'),
      )
    }
  }

  async #delete({ server: id, node, move }: FormerCopy): Promise<void> {
    const client = await this.#deps.nodes.clientFor(node)
    await client.call(panelEndpoints.deleteMovedServer, { params: { id, move } }, { timeoutMs: deleteTimeoutMs })
    await this.#leases.forgetCopy({ server: id, node, move })
  }
}

interface NewMove {
  readonly node: number
  readonly userId: number
  /** Of room on the node. */
  readonly reservation?: string | undefined
}

/** Called with the ID of the move and the values that it changes. */
type OnMoveAdded = (
  transaction: Transaction,
  move: { readonly id: string; readonly values: readonly MovedValue[] },
) => Promise<void>

interface MoveRowInput extends NewMove {
  readonly reservation: string
  readonly values: LeasedMove['data']
  readonly now: number
}

function getRow(server: Server, { node, userId, reservation, values, now }: MoveRowInput) {
  return {
    server_id: server.id,
    id: randomUUID(),
    from_node: server.nodeId,
    to_node: node,
    user_id: userId,
    state: 'waiting',
    bytes: null,
    total_bytes: null,
    error: null,
    is_cancelled: 0,
    updated_at: now,
    lease: randomUUID() as string,
    attempts: 0,
    started_at: now,
    since: 0,
    was_running: null,
    stopped_at: null,
    ready_at: null,
    copy_node: null,
    copy_until: null,
    data: JSON.stringify(values),
    reservation,
  }
}
