/** Times in a zone, as schedules are read: `Mon, Nov 23, 6:30 AM`. */
export function zonedTime(tag: string, timeZone: string | undefined, hasSeconds: boolean): (time: Date) => string {
  const format = new Intl.DateTimeFormat(tag, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    ...(hasSeconds ? { second: '2-digit' } : {}),
    ...(timeZone === undefined ? {} : { timeZone }),
  })
  return (time) => format.format(time)
}

/** The zone of whoever looks. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Whether times that are written to the minute would look alike. */
export function needSeconds(times: readonly Date[]): boolean {
  return times.some((time) => time.getUTCSeconds() !== 0)
}

/** Every zone that can be chosen, the one in use among them. */
export function zonesWith(zone: string | undefined): string[] {
  const all = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
  if (zone !== undefined) all.add(zone)
  return [...all].sort()
}
