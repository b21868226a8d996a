import { Cron, CronPattern } from 'croner'
import { parseDuration } from '../text/duration.ts'

/**
 * Cron schedules. `minute hour day month weekday`, with seconds in front if there are six fields; `@hourly` and
 * similar; `@every 1h30m`, counted from the Unix epoch, so that every program computes the same times.
 *
 * At daylight saving changes each wall-clock time runs once: a skipped time runs at the end of the gap, a repeated time
 * runs the first time. Schedules that run every hour follow elapsed hours instead.
 */

/** A parsed schedule. */
export interface Schedule {
  /** The next times after the given one; fewer when there are no more. */
  after(from: Date, count: number): Date[]
}

/** Both are parsed as Go's cron does: `5/15` starts at 5. */
const grammar = { mode: '5-or-6-parts', sloppyRanges: true } as const
const everyPrefix = /^@every\s+/i
const shortestMs = 1_000
const longestMs = 366 * 24 * 3_600_000

/** Returns why a schedule is not valid, `undefined` when it is. A schedule without any run time is not valid. */
export function cronProblem(expression: string): string | undefined {
  try {
    const schedule = read(expression, 'UTC')
    return schedule.after(new Date(), 1).length > 0 ? undefined : 'It never runs'
  } catch (cause) {
    return cause instanceof Error ? cause.message.replace(/^\w+: /, '') : String(cause)
  }
}

/**
 * The next times after `from` (default: now), at most `count`. None for an invalid schedule or time zone. The default
 * time zone is that of the machine.
 */
export function nextRuns(
  expression: string,
  { timezone, from = new Date(), count }: { timezone?: string; from?: Date; count: number },
): Date[] {
  return findSchedule(expression, timezone)?.after(from, count) ?? []
}

/** Parses a schedule; `undefined` when it or the time zone is not valid. */
export function findSchedule(expression: string, timezone?: string): Schedule | undefined {
  if (timezone !== undefined && !isTimezone(timezone)) return undefined
  try {
    return read(expression, timezone)
  } catch {
    return undefined
  }
}

/** Whether the text is an IANA time zone, for example `Europe/Berlin`. */
export function isTimezone(name: string): boolean {
  if (name === '') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The shortest interval between two runs of a valid schedule, in milliseconds. */
export function shortestIntervalMs(expression: string): number {
  const text = expression.trim()
  if (everyPrefix.test(text)) return everyMs(text.replace(everyPrefix, ''))
  const { second, minute } = new CronPattern(text, 'UTC', grammar)
  const seconds = second.flatMap((isSet, value) => (isSet ? value : []))
  const gaps = seconds.slice(1).map((value, at) => value - (seconds[at] ?? 0))
  // From the last second of a minute to the first second of the next minute, if that runs too.
  const hasNextMinute = minute.some((isSet, at) => isSet && minute[(at + 1) % 60])
  const [first = 0, last = 0] = [seconds[0], seconds.at(-1)]
  return 1_000 * Math.min(60, ...gaps, ...(hasNextMinute ? [first + 60 - last] : []))
}

function read(expression: string, timezone: string | undefined): Schedule {
  const text = expression.trim()
  return everyPrefix.test(text) ? every(text.replace(everyPrefix, '')) : cron(text, timezone)
}

function everyMs(length: string): number {
  const ms = Math.round((parseDuration(length) ?? 0) / 1_000) * 1_000
  if (ms < shortestMs || ms > longestMs) throw new Error(`"${length}" is not a duration from 1s to 8784h`)
  return ms
}

function every(length: string): Schedule {
  const ms = everyMs(length)
  return {
    after(from, count) {
      const first = Math.floor(from.getTime() / ms) + 1
      return Array.from({ length: count }, (_, at) => new Date((first + at) * ms))
    },
  }
}

function cron(text: string, timezone: string | undefined): Schedule {
  const pattern = new CronPattern(text, timezone, grammar)
  const job = new Cron(text.startsWith('@') ? text : listed(text, pattern), {
    ...grammar,
    fixedTimeRule: 'no-wildcard',
    ...(timezone !== undefined && { timezone }),
  })
  return { after: (from, count) => job.nextRuns(count, from) }
}

/**
 * Expands steps and ranges of hours and minutes to lists, and every hour to `*`: the library uses this to tell
 * wall-clock times from elapsed hours.
 */
function listed(text: string, { second, minute, hour }: CronPattern): string {
  const days = text.split(/\s+/).slice(-3)
  if (hour.every(Boolean)) return [getValues(second), getValues(minute), '*', ...days].join(' ')
  return [getValues(second), getValues(minute), getValues(hour), ...days].join(' ')
}

function getValues(field: readonly number[]): string {
  return field.flatMap((isSet, value) => (isSet ? value : [])).join(',')
}
