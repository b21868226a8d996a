import { limits } from '@innkeeper/contract/limits'
import { NodeReport } from '@innkeeper/contract/node-panel'
import type { NodeHealth, NodeState } from '@innkeeper/contract/nodes'
import type { ServerUsage } from '@innkeeper/contract/servers'
import type { Logger } from 'pino'
import { z } from 'zod'
import { upsert } from '../database/rows.ts'
import type { Database, NodeReportRow } from '../database/schema.ts'

interface Needs {
  readonly db: Database
  /** The version of this panel. */
  readonly version: string
  readonly log: Logger
  readonly now: () => number
}

export type NodeReports = ReturnType<typeof nodeReports>

/** What nodes said last, and what that means now. */
export function nodeReports({ db, version, log, now }: Needs) {
  async function rowsOf(nodeIds: readonly number[]): Promise<NodeReportRow[]> {
    if (nodeIds.length === 0) return []
    return await db.selectFrom('node_reports').selectAll().where('node_id', 'in', nodeIds).execute()
  }

  const isSilent = ({ seen_at }: NodeReportRow) => now() - seen_at >= limits.nodeSilentMs

  function healthIn(row: NodeReportRow): NodeHealth {
    const { features, machine, servers } = Body.parse(JSON.parse(row.body))
    const problems: NodeHealth['problems'] = []
    if (row.is_reachable === 0) problems.push('unreachable')
    if (Math.abs(row.skew) > limits.clockSkewMs) problems.push('clockSkew')
    if (machine && machine.disk.total - machine.disk.used < machine.disk.total * limits.nodeDiskFreeShare)
      problems.push('diskFull')
    if (features && features.version !== version) problems.push('otherVersion')
    const state: NodeState = isSilent(row) ? 'offline' : problems.length > 0 ? 'degraded' : 'online'
    return {
      state,
      since: new Date(state === 'offline' ? row.seen_at : row.since).toISOString(),
      seenAt: new Date(row.seen_at).toISOString(),
      problems,
      clockSkewMs: row.skew,
      features,
      machine,
      servers,
    }
  }

  return {
    /** Keeps what a node said. Answers whether it is time to see whether the panel reaches it. */
    async keep(nodeId: number, report: NodeReport): Promise<{ shouldReach: boolean }> {
      const at = now()
      const before = (await rowsOf([nodeId]))[0]
      const { features, machine, servers, keys } = report
      const running = servers.filter(({ status }) => status?.running).length
      const row: NodeReportRow = {
        node_id: nodeId,
        since: before && !isSilent(before) ? before.since : at,
        seen_at: at,
        skew: Math.round(report.at - at),
        reached_at: before?.reached_at ?? 0,
        is_reachable: before?.is_reachable ?? 1,
        body: JSON.stringify({ features, machine, keys, servers: { total: servers.length, running } }),
        servers: JSON.stringify(servers),
      }
      await upsert(db, 'node_reports', ['node_id'], row)
      return { shouldReach: at - row.reached_at >= limits.nodeReachEveryMs }
    },

    /** The keys of the panel that each node believes which is online. */
    async keysKnownOnline(): Promise<readonly (readonly string[])[]> {
      const rows = await db
        .selectFrom('node_reports')
        .select('body')
        .where('seen_at', '>', now() - limits.nodeSilentMs)
        .execute()
      return rows.map(({ body }) => KeysKnown.parse(JSON.parse(body)).keys)
    },

    /** A node whose clock is so wrong that nothing it signs is believed. Something old of one that reports is no news. */
    async keepSkew(nodeId: number, skew: number): Promise<void> {
      await db
        .updateTable('node_reports')
        .set({ skew })
        .where('node_id', '=', nodeId)
        .where('seen_at', '<=', now() - limits.nodeSilentMs)
        .execute()
    },

    async keepReached(nodeId: number, isReachable: boolean): Promise<void> {
      await db
        .updateTable('node_reports')
        .set({ reached_at: now(), is_reachable: isReachable ? 1 : 0 })
        .where('node_id', '=', nodeId)
        .execute()
    },

    /** How nodes are; one that never said anything is not among them. */
    async healthOf(nodeIds: readonly number[]): Promise<ReadonlyMap<number, NodeHealth>> {
      const found = new Map<number, NodeHealth>()
      for (const row of await rowsOf(nodeIds)) {
        try {
          found.set(row.node_id, healthIn(row))
        } catch (error) {
          log.error({ err: error, nodeId: row.node_id }, 'a report of a node in the database is damaged')
        }
      }
      return found
    },

    /** What the servers of nodes were doing when they said so last, by server. */
    async usageOf(nodeIds: readonly number[]): Promise<ReadonlyMap<string, ServerUsage>> {
      const told = new Map<string, ServerUsage>()
      for (const row of await rowsOf(nodeIds)) {
        const seenAt = new Date(row.seen_at).toISOString()
        const old = isSilent(row) ? { isOld: true } : {}
        // Written by ourselves after its schema.
        const servers = JSON.parse(row.servers) as ServerUsage[]
        for (const usage of servers) told.set(usage.id, { ...usage, seenAt, ...old })
      }
      return told
    },
  }
}

/** A node of an older version does not say. */
const KeysKnown = z.object({ keys: z.array(z.string()).default([]) })

const { features, machine } = NodeReport.shape
const Body = z.object({
  features: features.optional(),
  machine: machine.optional(),
  servers: z.object({ total: z.number(), running: z.number() }).optional(),
})
