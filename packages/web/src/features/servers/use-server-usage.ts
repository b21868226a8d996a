import type { PlayerCounts } from '@innkeeper/contract/servers/players'
import type { ServerUsage as ServerUsageResponse } from '@innkeeper/contract/servers/servers'
import type { ServerState, ServerStats, ServerStatus } from '@innkeeper/contract/servers/status'
import { replaceEqualDeep } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useUsageQuery } from './use-usage-query.ts'

/** How many points a sparkline shows. */
export const maxUsagePoints = 24

export interface ServerUsage {
  /** Absent when the node's latest report is missing or outdated, and while the panel does not respond. */
  readonly status?: ServerStatus
  /** The outdated report: the state and the ISO time at which it was received. */
  readonly lastKnown?: { readonly state: ServerState; readonly seenAt: string }
  /** Absent without permission to see it, and while the server does not run. */
  readonly stats?: ServerStats
  /** Absent without permission to see them, and while the game does not report them. */
  readonly players?: PlayerCounts
  readonly isSuspended?: boolean
  /** The memory that the server can use, in bytes. */
  readonly memoryMax?: number
  /** The CPU that the server can use, in percent of one core. */
  readonly cpuMax?: number
  /** The values received since the page was opened, oldest first. */
  readonly history: readonly ServerStats[]
}

interface UsageRecord {
  /** Time of the response, epoch milliseconds. */
  readonly at: number
  readonly usage: ReadonlyMap<string, ServerUsage>
  /** Also of servers that are no longer asked for. */
  readonly histories: ReadonlyMap<string, readonly ServerStats[]>
}

const emptyUsageRecord: UsageRecord = { at: 0, usage: new Map(), histories: new Map() }

/**
 * Status and usage of some servers by id, polled while the browser tab is visible, and when they were last updated. The
 * object of a server stays the same until one of its values changes.
 */
export function useServerUsage(ids: readonly string[]): {
  readonly usage: ReadonlyMap<string, ServerUsage>
  /** Epoch milliseconds; 0 before the first response. */
  readonly updatedAt: number
} {
  const { data, dataUpdatedAt, isPlaceholderData, isRefetchError } = useUsageQuery(ids)
  const [usageRecord, setUsageRecord] = useState(emptyUsageRecord)
  // Equal responses are the same object, but each is a new point in time.
  if (data && !isPlaceholderData && usageRecord.at !== dataUpdatedAt) {
    setUsageRecord(updateUsageRecord(usageRecord, data, dataUpdatedAt))
  }
  const { usage } = data ? usageRecord : emptyUsageRecord
  const outdated = useMemo(
    () => (isRefetchError ? toOutdated(usage, new Date(dataUpdatedAt).toISOString()) : undefined),
    [isRefetchError, usage, dataUpdatedAt],
  )
  return { usage: outdated ?? usage, updatedAt: dataUpdatedAt }
}

/** What was known of servers when the panel responded last, at `seenAt`: while it does not, their status is unknown. */
function toOutdated(usage: UsageRecord['usage'], seenAt: string): UsageRecord['usage'] {
  return new Map(
    [...usage].map(([id, { status, stats: _, players: __, ...others }]) => [
      id,
      { ...others, ...(status && { lastKnown: { state: status.state, seenAt } }) },
    ]),
  )
}

function updateUsageRecord(previous: UsageRecord, servers: readonly ServerUsageResponse[], at: number): UsageRecord {
  const histories = appendStats(previous.histories, servers)
  const usage = new Map(
    servers.map((server) => {
      const next = toUsage(server, histories.get(server.id) ?? [])
      return [server.id, replaceEqualDeep(previous.usage.get(server.id), next)] as const
    }),
  )
  return { at, usage, histories }
}

function appendStats(
  histories: UsageRecord['histories'],
  servers: readonly ServerUsageResponse[],
): UsageRecord['histories'] {
  const next = new Map(histories)
  for (const { id, status, stats, isOld } of servers) {
    const isMeasured = status?.running && !isOld && stats
    next.set(id, isMeasured ? [...(histories.get(id) ?? []), stats].slice(-maxUsagePoints) : [])
  }
  return next
}

function toUsage(server: ServerUsageResponse, history: readonly ServerStats[]): ServerUsage {
  const { status, stats, players, isOld, isSuspended, seenAt, memoryMax, cpuMax } = server
  return {
    ...(status && !isOld ? { status } : {}),
    ...(isSuspended ? { isSuspended } : {}),
    ...(memoryMax === undefined ? {} : { memoryMax }),
    ...(cpuMax === undefined ? {} : { cpuMax }),
    ...(isOld && status && seenAt ? { lastKnown: { state: status.state, seenAt } } : {}),
    ...(stats && status?.running && !isOld ? { stats } : {}),
    ...(players && status?.running && !isOld ? { players } : {}),
    history,
  }
}
