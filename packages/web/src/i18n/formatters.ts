const kibi = 1024
const day = 24 * 60 * 60 * 1000

export interface Formatters {
  readonly number: (value: number, decimals?: number) => string
  /** `34%`; the value is in percent already. */
  readonly percent: (value: number, decimals?: number) => string
  /** `412 MiB`, `4.12 GiB`. */
  readonly bytes: (bytes: number) => string
  /** The same to two decimals, as lists of files need it: `14.02 KiB`. */
  readonly size: (bytes: number) => string
  /** `4 s ago`, `2 hr. ago`; absolute when a day or more away. */
  readonly relative: (time: number, now?: number) => string
  readonly dateTime: (time: number) => string
  readonly time: (time: number) => string
  /** The most characters that `time` has: how wide a column of times is. */
  readonly timeLength: number
  /** `20:18`. */
  readonly shortTime: (time: number) => string
  /** `14 Nov, 04:00`; of another year `14 Nov 2024`. */
  readonly shortDateTime: (time: number, now?: number) => string
  /** `Nov 21`. */
  readonly shortDate: (time: number) => string
  /** `one, two and three`. */
  readonly list: (words: readonly string[]) => string
}

/** Midnight, and the latest times before and after noon: one of them is the longest in any language. */
const longTimes = [0, 12, 23].map((hour) => new Date(2026, 10, 23, hour, 59, 59))

/** Whether a language tells the time with AM and PM. */
export function hasTwelveHourClock(tag: string): boolean {
  return new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions().hour12 === true
}

const made = new Map<string, Formatters>()

/** The formats of a language, made once: creating Intl objects is slow. */
export function getFormatters(tag: string): Formatters {
  const known = made.get(tag) ?? createFormatters(tag)
  made.set(tag, known)
  return known
}

function createFormatters(tag: string): Formatters {
  const numbers = new Map<number, Intl.NumberFormat>()
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'always', style: 'narrow' })
  const dateTimes = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' })
  const monthDays = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric' })
  const times = new Intl.DateTimeFormat(tag, { timeStyle: 'medium' })
  const clocks = new Intl.DateTimeFormat(tag, { timeStyle: 'short' })
  const moments = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' })
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: 'medium' })

  function number(value: number, decimals = 0): string {
    const format =
      numbers.get(decimals) ??
      new Intl.NumberFormat(tag, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    numbers.set(decimals, format)
    return format.format(value)
  }

  const lists = new Intl.ListFormat(tag, { style: 'long', type: 'conjunction' })

  return {
    number,
    list: (words) => lists.format(words),
    percent: (value, decimals = 0) => `${number(value, decimals)}%`,
    bytes(bytes) {
      if (bytes < kibi) return `${number(bytes)} B`
      if (bytes < kibi ** 2) return `${number(bytes / kibi)} KiB`
      if (bytes < kibi ** 3) return `${number(bytes / kibi ** 2)} MiB`
      return `${number(bytes / kibi ** 3, 2)} GiB`
    },
    size(bytes) {
      if (bytes < kibi) return `${number(bytes)} B`
      if (bytes < kibi ** 2) return `${number(bytes / kibi, 2)} KiB`
      if (bytes < kibi ** 3) return `${number(bytes / kibi ** 2, 2)} MiB`
      return bytes < kibi ** 4 ? `${number(bytes / kibi ** 3, 2)} GiB` : `${number(bytes / kibi ** 4, 2)} TiB`
    },
    relative(time, now = Date.now()) {
      const past = Math.max(0, now - time)
      if (past < 60_000) return relative.format(-Math.round(past / 1000), 'second')
      if (past < 60 * 60_000) return relative.format(-Math.round(past / 60_000), 'minute')
      if (past < day) return relative.format(-Math.round(past / (60 * 60_000)), 'hour')
      return dateTimes.format(time)
    },
    dateTime: (time) => dateTimes.format(time),
    time: (time) => times.format(time),
    timeLength: Math.max(...longTimes.map((at) => times.format(at).length)),
    shortTime: (time) => clocks.format(time),
    shortDateTime: (time, now = Date.now()) =>
      (new Date(time).getFullYear() === new Date(now).getFullYear() ? moments : dates).format(time),
    shortDate: (time) => monthDays.format(time),
  }
}
