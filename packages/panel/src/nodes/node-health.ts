import { NodeReport } from '@innkeeper/contract/node-link/node-to-panel'
import type { NodeHealth, NodeState } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import { z } from 'zod'
import type { NodeReportRow } from '../database/schema.ts'

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
export function getNodeHealth(
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
    features,
    machine,
    servers,
  }
}
