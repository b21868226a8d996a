import { getStatsHistory } from '@innkeeper/contract/servers/stats-history'
import { limits } from '@innkeeper/contract/text/limits'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api.ts'
import { maxUsagePoints } from './use-server-usage.ts'

/** Only this many servers get a history: each costs one request to a node. */
const maxServers = 25

/** The CPU usage of some running servers before the list was opened: the start of their sparklines, by server id. */
export function useCpuHistory(ids: readonly string[]): ReadonlyMap<string, readonly number[]> {
  return useQueries({
    queries: ids.slice(0, maxServers).map((id) => {
      const input = { params: { id }, query: { range: 'hour' } } as const
      return {
        queryKey: [...getQueryKey(getStatsHistory, input), 'small'],
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const { cpu, stepMs } = await request(getStatsHistory, input, { signal })
          return { id, values: sampleLatest(cpu, Math.max(1, Math.round(limits.usageEveryMs / stepMs))) }
        },
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        meta: { quiet: true },
      }
    }),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data.values] as const] : []))),
  })
}

/** Every `step`th value from the latest one back to the first gap, oldest first. */
function sampleLatest(values: readonly (number | null)[], step: number): readonly number[] {
  const samples: number[] = []
  for (let index = values.length - 1; index >= 0 && samples.length < maxUsagePoints; index -= step) {
    const value = values[index]
    if (value === null || value === undefined) break
    samples.unshift(value)
  }
  return samples
}

/** The values of a CPU sparkline: the history before the list was opened, and what was received since. */
export function toSparkline(
  history: readonly number[] | undefined,
  received: readonly { readonly cpu: number }[],
): number[] {
  return [...(history ?? []), ...received.map(({ cpu }) => cpu)].slice(-maxUsagePoints)
}
