/** Formats times in a time zone: `Mon, Nov 23, 6:30 AM`. Without a zone in that of the browser. */
export function zonedTimeFormatter(
  tag: string,
  timeZone: string | undefined,
  withSeconds: boolean,
): (time: Date) => string {
  const format = new Intl.DateTimeFormat(tag, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    ...(withSeconds && { second: '2-digit' }),
    timeZone,
  })
  return (time) => format.format(time)
}

/** The time zone of the browser. */
export function localTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

export function hasSeconds(times: readonly Date[]): boolean {
  return times.some((time) => time.getUTCSeconds() !== 0)
}

/** All time zones, and `zone` if it is not among them. */
export function listTimezones(zone: string | undefined): string[] {
  const all = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
  if (zone !== undefined) all.add(zone)
  return [...all].sort()
}

/** The weekdays in the order in which they are shown. */
export const weekdaysFromMonday = [1, 2, 3, 4, 5, 6, 0] as const

/** The name of a weekday; 0 is Sunday. */
export function weekdayName(tag: string, weekday: number, length: 'long' | 'short'): string {
  // January 1, 2023 was a Sunday.
  const day = new Date(Date.UTC(2023, 0, 1 + weekday))
  return new Intl.DateTimeFormat(tag, { weekday: length, timeZone: 'UTC' }).format(day)
}
