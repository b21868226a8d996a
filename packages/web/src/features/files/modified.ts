import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'

/** When something was changed: the time for today, the day otherwise. */
export function modifiedText(t: TFunction, formats: Formatters, time: number | undefined, now: number): string {
  if (time === undefined) return ''
  const isToday = new Date(time).toDateString() === new Date(now).toDateString()
  return isToday ? t('files.Today', { time: formats.shortTime(time) }) : formats.shortDateTime(time, now)
}
