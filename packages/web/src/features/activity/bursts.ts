import type { ActivityEntry } from '@innkeeper/contract/activity/activity'

const burstMs = 10 * 60 * 1000
const minBurst = 3

/**
 * Groups entries that follow each other and differ in target and time only, for example eight files saved one after the other.
 * Fewer than three are not grouped.
 */
export function groupBursts(entries: readonly ActivityEntry[]): readonly (readonly ActivityEntry[])[] {
  const groups: ActivityEntry[][] = []
  for (const entry of entries) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (last && continues(last, entry)) group?.push(entry)
    else groups.push([entry])
  }
  return groups.flatMap((group) => (group.length < minBurst ? group.map((entry) => [entry]) : [group]))
}

function continues(last: ActivityEntry, next: ActivityEntry): boolean {
  const isNear = Math.abs(Date.parse(last.at) - Date.parse(next.at)) <= burstMs
  const keys = ['action', 'server', 'client', 'from', 'result', 'code'] as const
  return isNear && last.user?.id === next.user?.id && keys.every((key) => last[key] === next[key])
}
