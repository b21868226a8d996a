import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { ServerSuspension, Suspension } from '@innkeeper/contract/servers/suspension'
import type { Logger } from 'pino'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { findSuspension, suspensionColumns } from '../access/suspension.ts'
import type { ActivityLog } from '../activity/activity.ts'
import { affectsRows, runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'

/** Interval at which suspensions that have ended by themselves are removed. They have no effect before. */
const cleanupIntervalMs = 60_000
/** More changes follow with the next report. */
const maxChangesPerReport = 500

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly log: Logger
  readonly now: () => number
}

const notSuspended = { suspended_at: null, suspended_reason: null, suspended_until: null } as const

/** Further changes of the database in the same transaction. */
type AlsoChange = (transaction: Transaction) => Promise<void>

export type SuspensionsService = ReturnType<typeof suspensionsService>

/**
 * Suspends servers. The panel refuses requests at once; the node enforces it. A node that does not respond gets the change
 * with the response to its next report.
 */
export function suspensionsService({ db, nodes, activity, log, now }: Deps) {
  /** Sends the stored suspension to the node. Returns whether the node has it. */
  async function send(id: string): Promise<boolean> {
    const row = await db
      .selectFrom('servers')
      .select(['node_id', ...suspensionColumns])
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row) return false
    const suspension = findSuspension(row, now()) ?? null
    try {
      const client = await nodes.clientFor(row.node_id)
      await client.call(panelEndpoints.setSuspension, { params: { id }, body: { suspension } })
      return true
    } catch (error) {
      log.warn({ err: error, server: id }, 'a suspension could not be sent to the node; it gets it when it reports')
      return false
    }
  }

  return {
    async suspend(
      id: string,
      { reason, until }: Pick<Suspension, 'reason' | 'until'>,
      audit: AuditContext,
      alsoChange?: AlsoChange,
    ): Promise<{ readonly suspension: Suspension; readonly isOnNode: boolean }> {
      const at = now()
      const untilMs = until === undefined ? null : Date.parse(until)
      if (untilMs !== null && untilMs <= at) throw new Refusal('ErrFieldInvalid', { field: 'until' })
      audit.setSubject({ target: reason })
      const suspension = await auditedTransaction(audit, db, async (transaction) => {
        const servers = transaction.selectFrom('servers').select(suspensionColumns)
        const before = await servers.where('id', '=', id).executeTakeFirst()
        if (!before) throw new Refusal('ErrServerNotFound')
        const since = findSuspension(before, at) ? before.suspended_at : at
        const row = { suspended_at: since, suspended_reason: reason, suspended_until: untilMs }
        await transaction.updateTable('servers').set(row).where('id', '=', id).execute()
        await alsoChange?.(transaction)
        return findSuspension(row, at)
      })
      if (!suspension) throw new Error('a new suspension has ended already')
      return { suspension, isOnNode: await send(id) }
    },

    /** Does nothing to a server that is not suspended. */
    async end(id: string, audit: AuditContext, alsoChange?: AlsoChange): Promise<void> {
      const row = await db.selectFrom('servers').select('suspended_at').where('id', '=', id).executeTakeFirst()
      if (!row) throw new Refusal('ErrServerNotFound')
      if (row.suspended_at === null) return audit.skip()
      await auditedTransaction(audit, db, async (transaction) => {
        await transaction.updateTable('servers').set(notSuspended).where('id', '=', id).execute()
        await alsoChange?.(transaction)
      })
      await send(id)
    },

    /** The suspensions of servers of a node that differ from what the node has reported. */
    async findChanges(nodeId: number, reported: readonly ServerSuspension[]): Promise<ServerSuspension[]> {
      const onNode = new Map(reported.map(({ server, suspension }) => [server, suspension]))
      const rows = await db
        .selectFrom('servers')
        .select(['id', ...suspensionColumns])
        .where('node_id', '=', nodeId)
        .where((row) =>
          row.or([
            row('suspended_at', 'is not', null),
            ...(onNode.size > 0 ? [row('id', 'in', [...onNode.keys()])] : []),
          ]),
        )
        .execute()
      const at = now()
      return rows
        .map((row) => ({ server: row.id, suspension: findSuspension(row, at) ?? null }))
        .filter(({ server, suspension }) => !isSame(suspension, onNode.get(server) ?? null))
        .slice(0, maxChangesPerReport)
    },

    /** Removes suspensions that have ended by themselves. Several panels may do this at the same time. */
    cleanup(): PeriodicJob {
      return new PeriodicJob({
        everyMs: cleanupIntervalMs,
        run: () => removeEnded({ db, activity, now }),
        onError: (err) => log.warn({ err }, 'ended suspensions could not be removed; retrying later'),
      })
    },
  }
}

async function removeEnded({ db, activity, now }: Pick<Deps, 'db' | 'activity' | 'now'>): Promise<void> {
  const at = now()
  const ended = await db.selectFrom('servers').select('id').where('suspended_until', '<=', at).execute()
  for (const { id } of ended) {
    await runTransaction(db, async (transaction) => {
      const removing = transaction.updateTable('servers').set(notSuspended)
      // Another panel has removed it, or it was prolonged.
      if (!(await affectsRows(removing.where('id', '=', id).where('suspended_until', '<=', at)))) return
      await activity.record({ action: 'server.unsuspend', server: id, from: 'panel', result: 'done' }, transaction)
    })
  }
}

function isSame(one: Suspension | null, other: Suspension | null): boolean {
  return one?.reason === other?.reason && one?.since === other?.since && one?.until === other?.until
}
