import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { EvacuatedState } from '@innkeeper/contract/moves/evacuations'
import type { Logger } from 'pino'
import type { AuditContext } from '../access/audit-context.ts'
import type { ActivityLog } from '../activity/activity.ts'
import { isDatabaseError } from '../database/errors.ts'
import { findMove, isActive } from '../database/moves.ts'
import type { Database, RowChanges, StoredRow } from '../database/schema.ts'
import { isNodeUnreachable, pauseUnlessAborted } from '../node-copies/node-jobs.ts'
import type { MoveTargets, Rejection } from '../nodes/move-targets.ts'
import { JobReleased } from '../queue/leased-jobs.ts'
import type { EvacuationRows, LeasedEvacuation } from './evacuation-rows.ts'
import { findServersToPlace } from './evacuation-servers.ts'
import { getView } from './move-rows.ts'
import type { Moves } from './moves.ts'

type ServerRow = StoredRow<'evacuated_servers'>
type Changes = RowChanges<'evacuated_servers'> & { readonly state: EvacuatedState }

export interface EvacuateDeps extends Pick<Parameters<typeof findServersToPlace>[0], 'reports'> {
  readonly db: Database
  readonly rows: EvacuationRows
  readonly moves: Pick<Moves, 'readSource' | 'check' | 'begin'>
  readonly targets: MoveTargets
  readonly activity: Pick<ActivityLog, 'record'>
  readonly log: Logger
  /** Interval of looks at the moves. */
  readonly pollMs: number
  /** How long it waits for nodes that do not respond; then their servers cannot be moved. */
  readonly patienceMs: number
}

/** A node does not respond, which may end soon. */
class NodesSilent extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

/**
 * Moves the servers of a node one after another, or continues what another panel has begun: what became of each server is in
 * its row. Never rejects.
 */
export async function evacuate(deps: EvacuateDeps, job: LeasedEvacuation, abort: AbortController): Promise<void> {
  const { rows, log, pollMs } = deps
  const { signal } = abort
  // The work on one server can take longer than a lease lasts.
  const renewal = new PeriodicJob({
    everyMs: pollMs,
    async run() {
      if (!(await rows.renew(job))) abort.abort(new JobReleased())
    },
    onError: (err) => log.warn({ err, nodeId: job.node }, 'an evacuation cannot be renewed'),
  }).start()
  try {
    await new EvacuationSteps(deps, job, signal).run()
  } catch (err) {
    if (!signal.aborted) log.warn({ err, nodeId: job.node }, 'an evacuation was interrupted; continuing later')
    await rows
      .release(job)
      .catch((cause: unknown) => log.warn({ err: cause, nodeId: job.node }, 'an evacuation was not released'))
  } finally {
    await renewal.close()
  }
}

class EvacuationSteps {
  readonly #deps: EvacuateDeps
  readonly #job: LeasedEvacuation
  readonly #signal: AbortSignal
  /** Since when nodes have not responded. */
  #silentSince: number | undefined

  constructor(deps: EvacuateDeps, job: LeasedEvacuation, signal: AbortSignal) {
    this.#deps = deps
    this.#job = job
    this.#signal = signal
  }

  /** Works until it has ended. Throws when it must be continued later. */
  async run(): Promise<void> {
    const { rows, pollMs } = this.#deps
    for (;;) {
      this.#signal.throwIfAborted()
      const moving = await this.#follow()
      const [next] = await rows.servers(this.#job.id, 'waiting')
      if (!next && moving === 0) return await rows.end(this.#job)
      if (next && moving < this.#job.atOnce && (await this.#tryToBegin(next))) continue
      await pauseUnlessAborted(pollMs, this.#signal)
    }
  }

  /** Stores which moves have ended. Returns how many have not. */
  async #follow(): Promise<number> {
    let moving = 0
    for (const server of await this.#deps.rows.servers(this.#job.id, 'moving')) {
      const outcome = await this.#outcome(server)
      if (outcome) await this.#save(server, outcome)
      else moving++
    }
    return moving
  }

  async #outcome({ server_id, move_id }: ServerRow): Promise<Changes | undefined> {
    const { db } = this.#deps
    const move = await findMove(db, server_id)
    if (move?.id !== move_id) {
      // Its row was replaced by a later move, or deleted with the server.
      const server = await db.selectFrom('servers').select('node_id').where('id', '=', server_id).executeTakeFirst()
      if (server && server.node_id !== this.#job.node) return { state: 'moved', to_node: server.node_id }
      return { state: 'failed', error: toJson(new Refusal(server ? 'ErrCancelled' : 'ErrServerNotFound')) }
    }
    if (!move || isActive(move)) return undefined
    const { error, to_node } = move
    if (move.state === 'failed') return { state: 'failed', error }
    if (move.state !== 'done') return { state: 'cancelled', error }
    const { stoppedMs = null } = getView(move, String, 0)
    return { state: 'moved', to_node, stopped_ms: stoppedMs, error }
  }

  /** Returns whether its state has changed. */
  async #tryToBegin(server: ServerRow): Promise<boolean> {
    const { log, patienceMs } = this.#deps
    try {
      await this.#begin(server)
      this.#silentSince = undefined
    } catch (error) {
      this.#signal.throwIfAborted()
      if (isDatabaseError(error)) throw error
      // It was canceled, or another panel continues.
      if (error instanceof JobReleased) return true
      const isSilent = error instanceof NodesSilent || isNodeUnreachable(error)
      if (isSilent) {
        this.#silentSince ??= performance.now()
        if (performance.now() - this.#silentSince < patienceMs) return false
      }
      const reason = error instanceof NodesSilent ? error.refusal : error
      if (!(reason instanceof Refusal)) log.error({ err: error, server: server.server_id }, 'a server was not moved')
      const refusal = reason instanceof Refusal ? reason : new Refusal('ErrUnknownError')
      await this.#save(server, { state: 'blocked', error: toJson(refusal) })
    }
    return true
  }

  async #begin(server: ServerRow): Promise<void> {
    const { db, moves } = this.#deps
    const { node, leaveBackups, userId } = this.#job
    const id = server.server_id
    const row = await db.selectFrom('servers').select('node_id').where('id', '=', id).executeTakeFirst()
    if (!row) throw new Refusal('ErrServerNotFound')
    if (row.node_id !== node) return await this.#save(server, { state: 'moved', to_node: row.node_id })
    const current = await findMove(db, id)
    if (current && isActive(current))
      return await this.#save(server, { state: 'moving', move_id: current.id, to_node: current.to_node })

    const source = await moves.readSource(id)
    if (source.backups > 0 && !leaveBackups) throw new Refusal('ErrMoveLeavesBackups', { count: source.backups })
    const held = await this.#holdTarget(source)
    try {
      const to_node = held.node.id
      const request = { node: to_node, userId, reservation: held.id }
      await moves.begin(source, request, this.#audit(id, held.node.name), async (transaction, move) => {
        const moved_values = move.values.length > 0 ? JSON.stringify(move.values) : null
        const changes: Changes = { state: 'moving', move_id: move.id, to_node, moved_values }
        if (!(await this.#deps.rows.save(this.#job, server, changes, transaction))) throw new JobReleased()
      })
    } catch (error) {
      await this.#deps.targets.release(held.id)
      throw error
    }
  }

  /** Reserves room on a node that can have the server. */
  async #holdTarget(source: Awaited<ReturnType<Moves['readSource']>>) {
    const { targets, moves } = this.#deps
    const { node: from, to: only, labels, userId } = this.#job
    const [server] = await findServersToPlace(this.#deps, { from, only, labels, ids: [source.server.id] })
    if (!server) throw new Refusal('ErrServerNotFound')
    const rejections: Rejection[] = []
    for (;;) {
      const target = await targets.hold(server, rejections, userId)
      if (!target.found) throw target.isOffline ? new NodesSilent(target.refusal) : target.refusal
      const reason = await moves.check(source, target.found.node.id).catch(async (error: unknown) => {
        await targets.release(target.found.id)
        throw error
      })
      if (!reason) return target.found
      await targets.release(target.found.id)
      rejections.push({ node: target.found.node, reason })
    }
  }

  /** Each move is recorded for the user who began the evacuation. */
  #audit(server: string, target: string): AuditContext {
    const { activity } = this.#deps
    return {
      setActor: () => {},
      setSubject: () => {},
      skip: () => {},
      record: async (transaction) => {
        const columns = transaction.selectFrom('users').select(['id', 'username'])
        const user = await columns.where('id', '=', this.#job.userId).executeTakeFirst()
        const event = { action: 'server.move', server, target, user, from: 'panel', result: 'done' } as const
        await activity.record(event, transaction)
      },
    }
  }

  async #save(server: ServerRow, changes: Changes): Promise<void> {
    await this.#deps.rows.save(this.#job, server, changes)
  }
}

const toJson = (error: Refusal): string => JSON.stringify(toEnvelope(error).error)
