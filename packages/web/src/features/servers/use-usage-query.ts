import { getUsage, type ServerUsage } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { useApiQuery } from '../../api/use-api.ts'
import { type DisplayStatus, toDisplayStatus, toSuspendedStatus } from '../../ui/feedback/status.tsx'

/** Status and usage of some servers, polled while the browser tab is visible. */
export function useUsageQuery(ids: readonly string[]) {
  return useApiQuery(
    getUsage,
    { query: { ids: ids.join(',') } },
    {
      enabled: ids.length > 0,
      refetchInterval: limits.usageEveryMs,
      meta: { quiet: true },
      placeholderData: (before) => before,
    },
  )
}

/** The status to show: `unknown` when the node's latest report is outdated (`isOld`) or the node itself is not sure. */
export function statusFromUsage({ status, isOld, isSuspended }: ServerUsage): DisplayStatus {
  const reported = !status || isOld ? 'unknown' : toDisplayStatus(status)
  return isSuspended ? toSuspendedStatus(reported) : reported
}
