import { limits } from '@innkeeper/contract/limits'
import { getUsage } from '@innkeeper/contract/servers'
import { useCall } from '../../api/use-call.ts'

/** What the nodes say of some servers, asked again and again while the tab is in front. */
export function useUsageAnswers(ids: readonly string[]) {
  return useCall(
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
