import type { ServerStats, ServerStatus } from '@innkeeper/contract/status'
import { useEffect, useMemo, useState } from 'react'
import type { DisplayStatus } from '../../ui/status.tsx'
import { stateIn, useUsageAnswers } from './usage-answers.ts'

/** How many values a row remembers for its small lines. */
export const keptPoints = 24

export interface Usage {
  readonly state: DisplayStatus
  /** Absent when its node did not say, or not for too long. */
  readonly status?: ServerStatus
  /** How it was when its node was heard last, if that is too long ago to be its state. */
  readonly last?: { readonly state: DisplayStatus; readonly at: string }
  /** Absent without the right to see it, and while nothing runs. */
  readonly stats?: ServerStats
  /** The most memory that it can use, in bytes. */
  readonly memoryMax?: number
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
      for (const { id, status, stats, isOld } of data) {
        const known = before.get(id) ?? []
        after.set(id, status?.running && !isOld && stats ? [...known, stats].slice(-keptPoints) : [])
      }
      return after
    })
  }, [data, dataUpdatedAt])

  const of = useMemo(
    () =>
      new Map(
        (data ?? []).map((one): [string, Usage] => {
          const { id, status, stats, isOld, seenAt, memoryMax } = one
          return [
            id,
            {
              state: stateIn(one),
              ...(status && !isOld ? { status } : {}),
              ...(memoryMax === undefined ? {} : { memoryMax }),
              history: histories.get(id) ?? [],
              ...(isOld && status && seenAt ? { last: { state: status.state, at: seenAt } } : {}),
              ...(stats && status?.running && !isOld ? { stats } : {}),
            },
          ]
        }),
      ),
    [data, histories],
  )
  return { of, at: dataUpdatedAt }
}
