import { z } from 'zod/mini'
import { limits } from '../text/limits.ts'

const Count = z._default(z.int().check(z.minimum(0), z.maximum(limits.backupsKept)), 0)

/**
 * Which backups of a server are kept: the `last` ones, and the newest one of each of the last days, weeks (from Monday),
 * months and years that have one. Without any number all are kept.
 */
const rules = { last: Count, daily: Count, weekly: Count, monthly: Count, yearly: Count }
export type RetentionRule = keyof typeof rules
export const retentionRules = Object.keys(rules) as readonly RetentionRule[]

export const BackupRetention = z.strictObject({
  ...rules,
  /** When the backups take more space in the repository, the oldest ones are deleted as well. 0: no limit. */
  maxBytes: z._default(z.int().check(z.minimum(0)), 0),
})
export type BackupRetention = z.infer<typeof BackupRetention>

/** Where the retention of a server comes from; `default`: nothing is set, everything is kept. */
export const RetentionSource = z.enum(['server', 'node', 'panel', 'default'])
export type RetentionSource = z.infer<typeof RetentionSource>

export const keepEverything: BackupRetention = BackupRetention.parse({})

interface StoredAt {
  readonly createdAt: string
  readonly isLocked: boolean
  readonly verification?: { readonly error?: unknown } | undefined
}

/**
 * The backups that no rule keeps, in the given order. Locked backups are kept and count like others. Those that failed
 * their verification, or are dated after `now` by a clock that was wrong, are kept and do not count: they must not
 * replace good ones. `timezone` decides when a day ends.
 */
export function expiredBackups<T extends StoredAt>(
  backups: readonly T[],
  retention: BackupRetention,
  timezone: string,
  now: Date | undefined = undefined,
): readonly T[] {
  const applied = retentionRules.filter((rule) => retention[rule] > 0)
  if (applied.length === 0) return []
  const formatDate = dateFormat(timezone)
  const counted = backups.filter(
    ({ createdAt, verification }) => !verification?.error && (!now || Date.parse(createdAt) <= now.getTime()),
  )
  const newestFirst = counted.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  const kept = new Set<T>()
  for (const rule of applied) {
    const periods = Map.groupBy(newestFirst, (backup) =>
      rule === 'last' ? backup : getPeriod(rule, formatDate(backup)),
    )
    const newest = [...periods.values()].flatMap(([first]) => first ?? [])
    for (const backup of newest.slice(0, retention[rule])) kept.add(backup)
  }
  return counted.filter((backup) => !backup.isLocked && !kept.has(backup))
}

/** The same text for all days of a period. */
function getPeriod(rule: Exclude<RetentionRule, 'last'>, date: string): string {
  switch (rule) {
    case 'daily':
      return date
    case 'weekly':
      return getMonday(date)
    case 'monthly':
      return date.slice(0, 7)
    case 'yearly':
      return date.slice(0, 4)
  }
}

/** Formats a time as `2026-11-25` in the time zone. */
function dateFormat(timeZone: string): (backup: StoredAt) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return ({ createdAt }) => {
    const parts = new Map(format.formatToParts(Date.parse(createdAt)).map(({ type, value }) => [type, value]))
    return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
  }
}

function getMonday(date: string): string {
  const day = new Date(date)
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString().slice(0, 10)
}
