import type { QuietHours } from './alerts.ts'

const minuteMs = 60_000
const minutesPerDay = 24 * 60

/** When an alert of this time may be sent: now, or when the quiet hours end. Epoch milliseconds. */
export function endOfQuietHours(at: number, quiet: QuietHours | null): number {
  if (!quiet) return at
  const [now, from, to] = [minuteOfDay(at, quiet.timezone), getMinutes(quiet.from), getMinutes(quiet.to)]
  const isQuiet = from <= to ? from <= now && now < to : from <= now || now < to
  if (!isQuiet) return at
  const left = (to - now + minutesPerDay) % minutesPerDay
  return Math.floor(at / minuteMs) * minuteMs + left * minuteMs
}

function getMinutes(time: string): number {
  const [hours, minutes] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

function minuteOfDay(at: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return getMinutes(clock.format(at))
}
