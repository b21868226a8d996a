/** The forms that a schedule can be put together in, in the order of the tabs; anything else is written by hand. */
export const cronModes = ['hourly', 'daily', 'weekly', 'monthly', 'advanced'] as const
export type CronMode = (typeof cronModes)[number]
export type CronForm = Exclude<CronMode, 'advanced'>

/** What a task without a schedule is offered. */
export const defaultCron = '0 0 */1 * *'

/** A number, or every one. */
type Amount = number | '*'

/**
 * What the forms have to fill in. Each form reads an amount its own way: an hour is one of the day or a number of hours
 * between two runs, and so on.
 */
export interface CronFields {
  readonly minute: number
  readonly hour: Amount
  readonly day: Amount
  readonly month: Amount
  /** From 0, which is Sunday, to 6, ascending. */
  readonly weekdays: readonly number[]
}

/** Weekdays as a week is listed: from Monday to Sunday. */
export const weekdaysListed = [1, 2, 3, 4, 5, 6, 0] as const

/** The most that a field can hold; the least is 0 for times of the clock, 1 for everything else. */
export const highest = { minute: 59, hour: 23, day: 31, month: 12 } as const

const aliases: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
}

/** The form that an expression has; `advanced` when no form would write it. */
export function modeOf(expression: string): CronMode {
  const parts = partsOf(expression)
  const fields = fieldsOf(expression)
  const forms = cronModes.filter((mode) => mode !== 'advanced')
  return forms.find((form) => isAlike(parts, partsOf(expressionOf(form, fields)))) ?? 'advanced'
}

/** What of an expression a form can show; parts that no form has are taken for 0, or for every one. */
export function fieldsOf(expression: string): CronFields {
  // What stands behind seconds is the same.
  const [minute = '', hour = '', day = '', month = '', weekdays = ''] = partsOf(expression).slice(-5)
  return {
    minute: minute.includes('/') ? 0 : (numberIn(minute, highest.minute) ?? 0),
    hour: numberIn(hour, highest.hour) ?? '*',
    day: numberIn(day, highest.day) ?? '*',
    month: numberIn(month, highest.month) ?? '*',
    weekdays: weekdaysIn(weekdays) ?? [],
  }
}

/** The fields when somebody goes to another form: an hour of 0 becomes 1 too. */
export function adjusted(form: CronForm, fields: CronFields): CronFields {
  return completed(form, { ...fields, hour: fields.hour || 1 })
}

/** The fields as a form can hold them: what it could not say becomes 1, and no weekday becomes Sunday. */
function completed(form: CronForm, fields: CronFields): CronFields {
  const { hour, day, month, weekdays } = fields
  const isInterval = form === 'hourly'
  return {
    ...fields,
    hour: hour === '*' || (isInterval && hour === 0) ? 1 : hour,
    ...(form === 'daily' || form === 'monthly' ? { day: day === '*' || day === 0 ? 1 : day } : {}),
    ...(form === 'weekly' ? { weekdays: weekdays.length === 0 ? [0] : weekdays } : {}),
    ...(form === 'monthly' ? { month: month === '*' || month === 0 ? 1 : month } : {}),
  }
}

/** The expression of a form. */
export function expressionOf(form: CronForm, fields: CronFields): string {
  const { minute, hour, day, month, weekdays } = completed(form, fields)
  switch (form) {
    case 'hourly':
      return `${minute} */${hour} * * ?`
    case 'daily':
      return `${minute} ${hour} */${day} * ?`
    case 'weekly':
      return `${minute} ${hour} ? * ${weekdays.join(',')}`
    case 'monthly':
      return `${minute} ${hour} ${day} */${month} ?`
  }
}

/** The weekdays with one more, or one less; the last one stays. */
export function toggledWeekday(weekdays: readonly number[], weekday: number): readonly number[] {
  if (!weekdays.includes(weekday)) return [...weekdays, weekday].sort((one, other) => one - other)
  return weekdays.length > 1 ? weekdays.filter((kept) => kept !== weekday) : weekdays
}

function partsOf(expression: string): string[] {
  const text = expression.trim().toLowerCase()
  return (aliases[text] ?? text).split(/\s+/)
}

/** Whether two schedules say the same, each in its own way. */
function isAlike(some: readonly string[], others: readonly string[]): boolean {
  return (
    some.length === others.length &&
    some.every((part, index) => plain(part, index) === plain(others[index] ?? '', index))
  )
}

function plain(part: string, at: number): string {
  if (part === '?' || part === '*/1') return '*'
  if (at === 4) return weekdaysIn(part)?.join() ?? part
  return part.replace(/\b0(?=\d)/, '')
}

/** The number of a part, which may count steps. */
function numberIn(part: string, most: number): number | undefined {
  const digits = /^(?:\*\/)?(\d{1,2})$/.exec(part)?.[1]
  const number = Number(digits ?? Number.NaN)
  return number <= most ? number : undefined
}

const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** `1,3`, `mon-fri`; `undefined` for what is no list of weekdays. */
function weekdaysIn(part: string): readonly number[] | undefined {
  const found = new Set<number>()
  for (const piece of part.split(',')) {
    const [from, to = from, ...more] = piece.split('-').map(weekdayIn)
    if (from === undefined || to === undefined || to < from || more.length > 0) return undefined
    for (let day = from; day <= to; day++) found.add(day)
  }
  return [...found].sort((one, other) => one - other)
}

function weekdayIn(text: string): number | undefined {
  const named = weekdayNames.indexOf(text)
  return named >= 0 ? named : /^[0-6]$/.test(text) ? Number(text) : undefined
}
