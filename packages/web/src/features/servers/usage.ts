import type { ServerStats } from '@innkeeper/contract/status'
import { useEffect, useMemo, useState } from 'react'
import type { ShownState } from '../../ui/status.tsx'
import { useUsageAnswers } from './usage-answers.ts'

/** How many values a row remembers for its small lines. */
const keptPoints = 24

export interface Usage {
  readonly state: ShownState
  /** Absent without the right to see it, and while nothing runs. */
  readonly stats?: ServerStats
  /** Earlier values, the latest last; kept by this page only. */
  readonly history: readonly ServerStats[]
}

/** What some servers are doing, asked again while the tab is in front; `at` is when it was last known. */
export function useUsage(ids: readonly string[]): { readonly of: ReadonlyMap<string, Usage>; readonly at: number } {
  const { data, dataUpdatedAt } = useUsageAnswers(ids)
  const [histories, setHistories] = useState<ReadonlyMap<string, readonly ServerStats[]>>(new Map())

  // biome-ignore lint/correctness/useExhaustiveDependencies: equal answers are the same object, and each is a point in time
  useEffect(() => {
    if (!data) return
    setHistories((before) => {
      const after = new Map(before)
      for (const { id, status, stats } of data) {
        const known = before.get(id) ?? []
        after.set(id, status?.running && stats ? [...known, stats].slice(-keptPoints) : [])
      }
      return after
    })
  }, [data, dataUpdatedAt])

  const of = useMemo(
    () =>
      new Map(
        (data ?? []).map(({ id, status, stats }): [string, Usage] => [
          id,
          {
            state: status?.state ?? 'unknown',
            history: histories.get(id) ?? [],
            ...(stats && status?.running ? { stats } : {}),
          },
        ]),
      ),
    [data, histories],
  )
  return { of, at: dataUpdatedAt }
}
