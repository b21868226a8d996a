import { twoDigits } from '../../i18n/formatters.ts'

/** A time as the value of an input of type `datetime-local`: local time as `2026-11-21T20:18`. */
export function toLocalTime(iso: string): string {
  const time = new Date(iso)
  const day = [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())].join('-')
  return `${day}T${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`
}

/** The time in an input of type `datetime-local`, ISO 8601. */
export function fromLocalTime(local: string): string {
  return new Date(local).toISOString()
}
