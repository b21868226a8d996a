import { limits } from '@innkeeper/contract/limits'
import { getStatsHistory } from '@innkeeper/contract/stats-history'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { keptPoints } from './usage.ts'

/** For more servers the small lines begin empty: each costs a request to a node. */
const mostServers = 25

/** What the processors of some running servers did before the list was opened, as the small lines begin with it. */
export function usePastCpu(ids: readonly string[]): ReadonlyMap<string, readonly number[]> {
  return useQueries({
    queries: ids.slice(0, mostServers).map((id) => {
      const given = { params: { id }, query: { range: 'hour' } } as const
      return {
        queryKey: [...getQueryKey(getStatsHistory, given), 'small'],
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const { cpu, stepMs } = await request(getStatsHistory, given, { signal })
          return { id, values: latest(cpu, Math.max(1, Math.round(limits.usageEveryMs / stepMs))) }
        },
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        meta: { quiet: true },
      }
    }),
    combine: (found) => new Map(found.flatMap(({ data }) => (data ? [[data.id, data.values] as const] : []))),
  })
}

/** Every `step`th value up to the latest, as far back as something was measured without a break. */
function latest(values: readonly (number | null)[], step: number): readonly number[] {
  const found: number[] = []
  for (let index = values.length - 1; index >= 0 && found.length < keptPoints; index -= step) {
    const value = values[index]
    if (value === null || value === undefined) break
    found.unshift(value)
  }
  return found
}

/** The values of a small line: what was before the list was opened, and what it has seen since. */
export function cpuLine(past: readonly number[] | undefined, seen: readonly { readonly cpu: number }[]): number[] {
  return [...(past ?? []), ...seen.map(({ cpu }) => cpu)].slice(-keptPoints)
}
