import { limits } from '@innkeeper/contract/limits'
import { getUsage, type ServerUsage } from '@innkeeper/contract/servers'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type DisplayStatus, toDisplayStatus } from '../../ui/status.tsx'

/** What the nodes say of some servers, asked again and again while the tab is in front. */
export function useUsageAnswers(ids: readonly string[]) {
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

/** The state to show: what a node said before it fell silent, or doubts itself, is no state any more. */
export function stateIn({ status, isOld }: ServerUsage): DisplayStatus {
  return !status || isOld ? 'unknown' : toDisplayStatus(status)
}
