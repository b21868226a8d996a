import type { Formatters } from '../../i18n/formatters.ts'
import type { Lines } from './buffer.ts'

/** How the times of lines are shown: with the day when the oldest line is not from today. */
export function getTimeFormat({ time, dayAndTime }: Formatters, lines: Lines): (time: number) => string {
  const oldest = lines.at(lines.first)?.time
  const isToday = oldest === undefined || new Date(oldest * 1000).toDateString() === new Date().toDateString()
  return isToday ? time : dayAndTime
}

/** Months and hours from midnight to midnight: one of these times is the longest of a year in any language. */
const longTimes = Array.from({ length: 24 }, (_, hour) => new Date(2026, hour / 2, 23, hour, 59, 59).getTime())

/** The maximum number of characters of a time: the width of a column of times. */
export function getTimeLength(format: (time: number) => string): number {
  return Math.max(...longTimes.map((time) => format(time).length))
}
