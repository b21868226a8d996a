import { Refusal } from '@innkeeper/contract/errors/refusals'
import { NodeReport } from '@innkeeper/contract/node-link/node-to-panel'
import { localNodeId, type NodeHealth, type NodeMachine, type NodeState } from '@innkeeper/contract/nodes/nodes'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { z } from 'zod'
import { batches } from '../database/batches.ts'
import { affectsRows, insertIfAbsent, runTransaction } from '../database/rows.ts'
import type { Database, NodeReportRow } from '../database/schema.ts'
import type { Reachability } from './node-connections.ts'
import { type NodeRepository, nodeSilenceMs } from './node-repository.ts'

/** Stored part of a report: of the node. */
const maxStoredReportBytes = 64 * 1024
/** Stored part of a report: of each server. */
const maxStoredServerBytes = 2048

interface Deps {
  readonly db: Database
  readonly repository: Pick<NodeRepository, 'lockForUpdate'>
  /** The version of this panel. */
  readonly version: string
  readonly log: Logger
  readonly now: () => number
  /** A node is offline after this silence. */
  readonly offlineMs?: number
}

/** What a node has reported about its machine and its servers. */
export interface ReportedResources {
  readonly machine: NodeMachine
  readonly servers: readonly ServerUsage[]
}

export type NodeReports = ReturnType<typeof nodeReports>

/** Status reports of nodes. */
export function nodeReports({ db, repository, version, log, now, offlineMs = limits.nodeOfflineMs }: Deps) {
  const isSilent = ({ seen_at }: Pick<NodeReportRow, 'seen_at'>) => now() - seen_at >= offlineMs
  const update = batches((rows: readonly NodeReportRow[]) => updateReports(db, rows))

  /** Ignores a node that was deleted. */
  async function write(row: NodeReportRow): Promise<void> {
    if ((await update(row)) || (await insertFirstReport(db, repository, row))) return
    await update(row)
  }

  return {
    /** Saves a report about a node and its own servers; reports about other servers are ignored. */
    async save(nodeId: number, report: NodeReport): Promise<void> {
      const at = now()
      const columns = ['since', 'seen_at', 'reached_at', 'is_reachable'] as const
      const before = await db
        .selectFrom('node_reports')
        .select(columns)
        .where('node_id', '=', nodeId)
        .executeTakeFirst()
      const { features, machine, keys } = report
      const servers = await readOwnServers(db, nodeId, report.servers)
      const running = servers.filter(({ status }) => status?.running).length
      const row: NodeReportRow = {
        node_id: nodeId,
        since: before && !isSilent(before) ? before.since : at,
        seen_at: at,
        skew: report.atMs - at,
        reached_at: before?.reached_at ?? 0,
        is_reachable: before?.is_reachable ?? 1,
        body: JSON.stringify({ features, machine, keys, servers: { total: servers.length, running } }),
        servers: JSON.stringify(servers),
      }
      // Rows are read by every list, so they must be small.
      refuseLong('body', row.body, maxStoredReportBytes)
      refuseLong('servers', row.servers, maxStoredServerBytes * (servers.length + 1))
      await write(row)
    },

    /** Saves that a node has reported, but what this panel does not understand. */
    async saveUnknown(nodeId: number): Promise<void> {
      const at = now()
      const before = (await readRows(db, [nodeId]))[0]
      const first = { since: at, skew: 0, reached_at: 0, is_reachable: 1, servers: '[]', body: '{}' }
      // Its last known features and keys stay.
      const known = JSON.parse(before?.body ?? '{}') as object
      const body = JSON.stringify({ ...known, isUnknown: true })
      await write({ ...first, ...before, node_id: nodeId, seen_at: at, servers: '[]', body })
    },

    /** IDs of the panel's keys that each online node trusts. */
    keysKnownOnline: (): Promise<readonly (readonly string[])[]> => readKnownKeys(db, now() - nodeSilenceMs),

    /**
     * Saves the clock offset of a node whose tokens are rejected because of it. Ignored for a node that reports,
     * because the token may be old.
     */
    async saveClockSkew(nodeId: number, skew: number): Promise<void> {
      const unheard = { since: 0, seen_at: 0, reached_at: 0, is_reachable: 1, body: '{}', servers: '[]' }
      if (await insertFirstReport(db, repository, { node_id: nodeId, skew, ...unheard })) return
      await db
        .updateTable('node_reports')
        .set({ skew })
        .where('node_id', '=', nodeId)
        .where('seen_at', '<=', now() - nodeSilenceMs)
        .execute()
    },

    async saveReachability(nodeId: number, reachability: Reachability): Promise<void> {
      const is_reachable = reachableColumn[reachability]
      await db
        .updateTable('node_reports')
        .set({ reached_at: now(), is_reachable })
        .where('node_id', '=', nodeId)
        // Usually nothing changes, and nothing is written to the disk.
        .where('is_reachable', '!=', is_reachable)
        .execute()
    },

    /** Nodes that panels reach only through their tunnels. */
    async readTunnelled(): Promise<ReadonlySet<number>> {
      const rows = await db
        .selectFrom('node_reports')
        .select('node_id')
        .where('is_reachable', '=', reachableColumn.tunnel)
        .execute()
      return new Set(rows.map(({ node_id }) => node_id))
    },

    /** Health of nodes; nodes that have never reported are omitted. */
    async readHealth(nodeIds: readonly number[]): Promise<ReadonlyMap<number, NodeHealth>> {
      const found = new Map<number, NodeHealth>()
      for (const row of await readRows(db, nodeIds)) {
        try {
          found.set(row.node_id, getNodeHealth(row, { version, isOffline: isSilent(row) }))
        } catch (error) {
          log.error({ err: error, nodeId: row.node_id }, 'a stored report of a node is damaged')
        }
      }
      return found
    },

    /** The machines and servers of nodes as last reported; nodes that have never reported are omitted. */
    async readResources(nodeIds: readonly number[]): Promise<ReadonlyMap<number, ReportedResources>> {
      const found = new Map<number, ReportedResources>()
      for (const row of await readRows(db, nodeIds)) {
        const { machine } = StoredReport.parse(JSON.parse(row.body))
        // Written by this class after validation.
        if (machine) found.set(row.node_id, { machine, servers: JSON.parse(row.servers) as ServerUsage[] })
      }
      return found
    },

    /** The last reported status of servers, by server. */
    async readLastUsage(
      servers: readonly { readonly id: string; readonly nodeId: number }[],
    ): Promise<Map<string, ServerUsage>> {
      const nodeIds = new Map(servers.map(({ id, nodeId }) => [id, nodeId]))
      const reported = new Map<string, ServerUsage>()
      for (const row of await readRows(db, [...new Set(nodeIds.values())])) {
        const seenAt = new Date(row.seen_at).toISOString()
        const old = isSilent(row) ? { isOld: true } : {}
        // Written by this class after validation.
        for (const usage of JSON.parse(row.servers) as ServerUsage[])
          if (nodeIds.get(usage.id) === row.node_id) reported.set(usage.id, { ...usage, seenAt, ...old })
      }
      return reported
    },
  }
}

async function readRows(db: Database, nodeIds: readonly number[]): Promise<NodeReportRow[]> {
  if (nodeIds.length === 0) return []
  return await db.selectFrom('node_reports').selectAll().where('node_id', 'in', nodeIds).execute()
}

function refuseLong(field: string, text: string, max: number): void {
  if (Buffer.byteLength(text) > max) throw new Refusal('ErrFieldTooLarge', { field, max })
}

/** Older nodes do not report it. */
const KeysKnown = z.object({ keys: z.array(z.string()).default([]) })

/** The reported usage of servers that the node has according to the panel. */
async function readOwnServers(db: Database, nodeId: number, reported: readonly ServerUsage[]): Promise<ServerUsage[]> {
  const rows = await db.selectFrom('servers').select('id').where('node_id', '=', nodeId).execute()
  const byId = new Map(reported.map((usage) => [usage.id, usage]))
  return rows.flatMap(({ id }) => byId.get(id) ?? [])
}

/** Inserts the first row of a node unless it exists; ignores a node that was deleted. */
async function insertFirstReport(db: Database, repository: Deps['repository'], row: NodeReportRow): Promise<boolean> {
  return await runTransaction(db, async (transaction) => {
    if (row.node_id !== localNodeId) await repository.lockForUpdate(transaction, row.node_id)
    return await insertIfAbsent(transaction, 'node_reports', row)
  })
}

/** Returns for each row whether it exists. */
async function updateReports(db: Database, rows: readonly NodeReportRow[]): Promise<boolean[]> {
  return await runTransaction(db, async (transaction) => {
    const exists = new Map<number, boolean>()
    // In the same order by each panel, so that they do not wait for each other.
    for (const { node_id, ...changes } of rows.toSorted((a, b) => a.node_id - b.node_id)) {
      const updating = transaction.updateTable('node_reports').set(changes).where('node_id', '=', node_id)
      exists.set(node_id, await affectsRows(updating))
    }
    return rows.map(({ node_id }) => exists.get(node_id) === true)
  })
}

async function readKnownKeys(db: Database, seenAfter: number): Promise<readonly (readonly string[])[]> {
  const rows = await db.selectFrom('node_reports').select('body').where('seen_at', '>', seenAfter).execute()
  return rows.map(({ body }) => KeysKnown.parse(JSON.parse(body)).keys)
}

/** The column `is_reachable`. */
const reachableColumn = { unreachable: 0, direct: 1, tunnel: 2 } as const satisfies Record<Reachability, number>

/** A disk with less free space counts as full. */
const minFreeDiskShare = 0.05

const { features, machine } = NodeReport.shape
/** The stored part of a report. */
const StoredReport = z.object({
  /** The last report was not understood. */
  isUnknown: z.boolean().optional(),
  features: z.optional(features),
  machine: z.optional(machine),
  servers: z.object({ total: z.number(), running: z.number() }).optional(),
})

/**
 * The health of a node from its stored report. `version` is that of this panel.
 * @throws when the stored report is damaged
 */
function getNodeHealth(
  row: NodeReportRow,
  { version, isOffline }: { readonly version: string; readonly isOffline: boolean },
): NodeHealth {
  const { isUnknown, features, machine, servers } = StoredReport.parse(JSON.parse(row.body))
  const problems: NodeHealth['problems'] = []
  if (row.is_reachable === 0) problems.push('unreachable')
  if (Math.abs(row.skew) > limits.clockSkewMs) problems.push('clockSkew')
  if (machine && machine.disk.total - machine.disk.used < machine.disk.total * minFreeDiskShare)
    problems.push('diskFull')
  if (isUnknown) problems.push('otherProtocol')
  else if (features && features.version !== version) problems.push('otherVersion')
  if (row.seen_at === 0) return { state: 'waiting', problems, clockSkewMs: row.skew }
  const state: NodeState = isOffline ? 'offline' : problems.length > 0 ? 'degraded' : 'online'
  return {
    state,
    since: new Date(state === 'offline' ? row.seen_at : row.since).toISOString(),
    seenAt: new Date(row.seen_at).toISOString(),
    problems,
    clockSkewMs: row.skew,
    ...(row.is_reachable === reachableColumn.tunnel && { isTunnelled: true }),
    features,
    machine,
    servers,
  }
}
