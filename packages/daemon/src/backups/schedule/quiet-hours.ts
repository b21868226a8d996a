/** After this delay, work does not wait for quiet hours: the node may be off at night. */
const maxDelayMs = 24 * 60 * 60 * 1000

/** Hours of the day by the clock of the node, from `from` until before `to`; they may include midnight. */
export interface QuietHours {
  readonly from: number
  readonly to: number
}

/** Every hour is quiet. */
export const allDay: QuietHours = { from: 0, to: 24 }

/** Whether work may begin that is due since `dueAt`, in milliseconds since 1970. */
export function mayBegin(dueAt: number, { from, to }: QuietHours, now: Date): boolean {
  const hour = now.getHours()
  const isQuiet = from <= to ? hour >= from && hour < to : hour >= from || hour < to
  return isQuiet || now.getTime() - dueAt > maxDelayMs
}

/** When work begins that is due at some time: then, or in the next quiet hours, and at most a day late. */
export function nextQuietTime(dueAt: number, hours: QuietHours, now: Date): number {
  const first = new Date(Math.max(dueAt, now.getTime()))
  if (mayBegin(dueAt, hours, first)) return first.getTime()
  const quiet = new Date(first)
  quiet.setHours(hours.from, 0, 0, 0)
  if (quiet < first) quiet.setDate(quiet.getDate() + 1)
  return Math.min(quiet.getTime(), Math.max(first.getTime(), dueAt + maxDelayMs))
}
