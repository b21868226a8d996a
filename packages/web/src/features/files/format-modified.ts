import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'

/** A modification time as text: the time of day if it is today, otherwise date and time. Epoch milliseconds. */
export function formatModified(t: TFunction, formatters: Formatters, time: number | undefined, now: number): string {
  if (time === undefined) return ''
  const isToday = new Date(time).toDateString() === new Date(now).toDateString()
  return isToday ? t('files.Today', { time: formatters.shortTime(time) }) : formatters.shortDateTime(time, now)
}
