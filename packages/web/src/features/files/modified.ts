import type { Formats } from '../../i18n/format.ts'
import type { Text } from '../../i18n/text.tsx'

/** When something was changed: the time for today, the day otherwise. */
export function modifiedText(text: Text, formats: Formats, time: number | undefined, now: number): string {
  if (time === undefined) return ''
  const isToday = new Date(time).toDateString() === new Date(now).toDateString()
  return isToday ? text('files.Today', { time: formats.clock(time) }) : formats.day(time, now)
}
