import { createNumberFormatter, getNumberFormatter } from './number-format.ts'
import type { TranslationKey } from './translation-key.ts'

const kibi = 1024
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export interface Formatters {
  readonly number: (value: number, decimals?: number) => string
  /** `34%`. The value is in percent already. */
  readonly percent: (value: number, decimals?: number) => string
  /** `412 MiB`, `4.12 GiB`; with two decimals `14.02 KiB`, as lists of files need it. GiB and TiB always have two. */
  readonly fileSize: (bytes: number, options?: { readonly decimals?: number }) => string
  /** `4 MiB/s`. */
  readonly rate: (bytesPerSecond: number) => string
  /** `4.12 MiB`, `4.12 MiB/s`: a value that is in the unit already. */
  readonly inUnit: (
    value: number,
    unit: SizeUnit,
    options?: { readonly decimals?: number; readonly isRate?: boolean },
  ) => string
  /** `MiB`, `MiB/s`. */
  readonly unitName: (unit: SizeUnit, options?: { readonly isRate?: boolean }) => string
  /** `4s ago`, `in 2h`; date and time when a day or more away. */
  readonly relative: (time: number, now?: number) => string
  /** The same, with the time of day from an hour on, which a relative time no longer shows: `2h ago, 9:14 PM`. */
  readonly relativeWithTime: (time: number, now?: number) => string
  readonly dateTime: (time: number) => string
  readonly time: (time: number) => string
  /** `20:18:04`; with the day when that is not today: `Nov 21, 20:18:04`. */
  readonly timeSince: (time: number, now?: number) => string
  /** `Nov 21, 20:18:04`. */
  readonly dayAndTime: (time: number) => string
  /** `20:18`. */
  readonly shortTime: (time: number) => string
  /** A time of a schedule, of no certain day: `3:30 AM`. */
  readonly timeOfDay: (hour: number, minute: number) => string
  /** `14 Nov, 04:00`; in another year `14 Nov 2024`. */
  readonly shortDateTime: (time: number, now?: number) => string
  /** `Nov 21, 2026`. */
  readonly date: (time: number) => string
  /** `Nov 21`. */
  readonly shortDate: (time: number) => string
  /** `Nov 21`: the day in UTC. */
  readonly shortUtcDate: (time: number) => string
  /** `45 sec`, `24 min`, `3 hr`, `12 days`: in its largest unit, rounded down. */
  readonly longDuration: (ms: number) => string
  /** `1:30`: minutes and seconds. */
  readonly duration: (ms: number) => string
  /** Sorts names; digits by their value, so that `region-2` comes before `region-10`. */
  readonly compareNames: (a: string, b: string) => number
  /** `one, two and three`. */
  readonly list: (items: readonly string[]) => string
  /** `14.02 KiB, Jan 3, 2026` */
  readonly facts: (items: readonly string[]) => string
  /** `one, two or three`. */
  readonly anyOf: (items: readonly string[]) => string
}

/** Binary units; `Intl` has only decimal ones, so that the catalog has the names. */
const sizeUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export type SizeUnit = (typeof sizeUnits)[number] | 'MB'

/** At least two ASCII digits, for inputs and file names. */
export const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** Whether a language uses a clock with AM and PM. */
export function hasTwelveHourClock(tag: string): boolean {
  return new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions().hour12 === true
}

/** The narrow style, as "3h ago"; the short one in languages whose narrow style is a signed number, as "-3 h". */
function createRelativeFormat(tag: string): Intl.RelativeTimeFormat {
  const numeric = 'always'
  const narrow = new Intl.RelativeTimeFormat(tag, { numeric, style: 'narrow' })
  const isSigned = /^[-\u2212]/.test(narrow.format(-1, 'hour'))
  return isSigned ? new Intl.RelativeTimeFormat(tag, { numeric, style: 'short' }) : narrow
}

/** Creates the formatters of a language, with its texts for units. This is slow, because Intl objects are. */
type Translate = (key: TranslationKey, values?: Readonly<Record<string, string>>) => string

export function createFormatters(tag: string, t: Translate): Formatters {
  const number = getNumberFormatter(tag)
  const unitFormat = (unit: string) => new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'short' })
  const percent = createNumberFormatter(tag, { style: 'percent' })
  const relative = createRelativeFormat(tag)
  const dateTime = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' })
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium' })
  const time = new Intl.DateTimeFormat(tag, { timeStyle: 'medium' })
  const shortTime = new Intl.DateTimeFormat(tag, { timeStyle: 'short' })
  const timeOfDay = new Intl.DateTimeFormat(tag, { timeStyle: 'short', timeZone: 'UTC' })
  const shortDate = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric' })
  const shortUtcDate = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const shortDateTime = new Intl.DateTimeFormat(tag, {
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  })
  const dayAndTime = new Intl.DateTimeFormat(tag, {
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
  })
  const seconds = new Intl.NumberFormat(tag, { minimumIntegerDigits: 2 })
  const collator = new Intl.Collator(tag, { numeric: true, sensitivity: 'base' })
  const list = new Intl.ListFormat(tag, { style: 'long', type: 'conjunction' })
  const anyOf = new Intl.ListFormat(tag, { style: 'long', type: 'disjunction' })
  const parts = new Intl.ListFormat(tag, { style: 'short', type: 'unit' })

  function fileSize(bytes: number, { decimals = 0 }: { readonly decimals?: number } = {}): string {
    const exponent = bytes < kibi ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), sizeUnits.length - 1)
    const digits = exponent === 0 ? 0 : exponent >= 3 ? 2 : decimals
    return inUnit(bytes / kibi ** exponent, sizeUnits[exponent] as SizeUnit, { decimals: digits })
  }

  const inUnit: Formatters['inUnit'] = (value, unit, { decimals = 0, isRate } = {}) =>
    perSecond(isRate, t('units.Value', { value: number(value, decimals), unit: unitName(unit) }))
  const unitName: Formatters['unitName'] = (unit, { isRate } = {}) => perSecond(isRate, t(`units.${unit}`))
  const perSecond = (isRate: boolean | undefined, size: string) => (isRate ? t('units.PerSecond', { size }) : size)

  function formatRelative(moment: number, now = Date.now()): string {
    const distance = Math.abs(moment - now)
    const sign = moment > now ? 1 : -1
    if (distance < minute) return relative.format(sign * Math.round(distance / 1000), 'second')
    if (distance < hour) return relative.format(sign * Math.round(distance / minute), 'minute')
    if (distance < day) return relative.format(sign * Math.round(distance / hour), 'hour')
    return dateTime.format(moment)
  }

  const second = { length: 1000, format: unitFormat('second') }
  const durationUnits = [
    { length: day, format: unitFormat('day') },
    { length: hour, format: unitFormat('hour') },
    { length: minute, format: unitFormat('minute') },
  ]

  return {
    number,
    percent: (value, decimals) => percent(value / 100, decimals),
    fileSize,
    rate: (bytesPerSecond) => t('units.PerSecond', { size: fileSize(bytesPerSecond) }),
    inUnit,
    unitName,
    relative: formatRelative,
    relativeWithTime(moment, now = Date.now()) {
      const text = formatRelative(moment, now)
      const distance = Math.abs(moment - now)
      return distance < hour || distance >= day ? text : parts.format([text, shortTime.format(moment)])
    },
    dateTime: (moment) => dateTime.format(moment),
    time: (moment) => time.format(moment),
    timeSince: (moment, now = Date.now()) =>
      (new Date(moment).toDateString() === new Date(now).toDateString() ? time : dayAndTime).format(moment),
    dayAndTime: (moment) => dayAndTime.format(moment),
    shortTime: (moment) => shortTime.format(moment),
    timeOfDay: (hour, minute) => timeOfDay.format(Date.UTC(2026, 0, 1, hour, minute)),
    shortDateTime: (moment, now = Date.now()) =>
      (new Date(moment).getFullYear() === new Date(now).getFullYear() ? shortDateTime : date).format(moment),
    date: (moment) => date.format(moment),
    shortDate: (moment) => shortDate.format(moment),
    shortUtcDate: (moment) => shortUtcDate.format(moment),
    longDuration(ms) {
      const unit = durationUnits.find(({ length }) => ms >= length) ?? second
      return unit.format.format(Math.floor(Math.max(0, ms) / unit.length))
    },
    duration(ms) {
      const total = Math.round(ms / 1000)
      return `${number(Math.floor(total / 60))}:${seconds.format(total % 60)}`
    },
    compareNames: (a, b) => collator.compare(a, b),
    list: (items) => list.format(items),
    facts: (items) => parts.format(items),
    anyOf: (items) => anyOf.format(items),
  }
}
