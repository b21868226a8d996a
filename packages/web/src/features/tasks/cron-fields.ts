/** The tabs of the editor in their order. `advanced` is the expression as text. */
export const cronModes = ['hourly', 'daily', 'weekly', 'monthly', 'advanced'] as const
export type CronMode = (typeof cronModes)[number]
export type SimpleCronMode = Exclude<CronMode, 'advanced'>

/** The initial schedule of a task without one. */
export const defaultCron = '0 0 */1 * *'

/** A number, or any. */
type Amount = number | '*'

/**
 * The values of the forms. Each mode interprets them in its own way: `hour` is an hour of the day or an interval in hours,
 * and so on.
 */
export interface CronFields {
  readonly minute: number
  readonly hour: Amount
  readonly day: Amount
  readonly month: Amount
  /** 0 (Sunday) to 6, ascending. */
  readonly weekdays: readonly number[]
}

/** The maximum of each field. The minimum is 0 for times and 1 for everything else. */
export const maxValues = { minute: 59, hour: 23, day: 31, month: 12 } as const

const aliases: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
}

/** The mode whose form can represent the expression; otherwise `advanced`. */
export function getCronMode(expression: string): CronMode {
  const parts = splitExpression(expression)
  const fields = parseCron(expression)
  const modes = cronModes.filter((mode) => mode !== 'advanced')
  return modes.find((mode) => isEquivalent(parts, splitExpression(formatCron(mode, fields)))) ?? 'advanced'
}

/** Parses an expression for the forms. Parts that the forms cannot represent become 0 or `*`. */
export function parseCron(expression: string): CronFields {
  // An expression with seconds has six parts.
  const [minute = '', hour = '', day = '', month = '', weekdays = ''] = splitExpression(expression).slice(-5)
  return {
    minute: minute.includes('/') ? 0 : (parseAmount(minute, maxValues.minute) ?? 0),
    hour: parseAmount(hour, maxValues.hour) ?? '*',
    day: parseAmount(day, maxValues.day) ?? '*',
    month: parseAmount(month, maxValues.month) ?? '*',
    weekdays: parseWeekdays(weekdays) ?? [],
  }
}

/** The fields after switching to another mode. An hour of 0 becomes 1. */
export function adjustForMode(mode: SimpleCronMode, fields: CronFields): CronFields {
  return completeFields(mode, { ...fields, hour: fields.hour || 1 })
}

/** Replaces values that the form of a mode cannot represent: numbers by 1, no weekday by Sunday. */
function completeFields(mode: SimpleCronMode, fields: CronFields): CronFields {
  const { hour, day, month, weekdays } = fields
  const isInterval = mode === 'hourly'
  return {
    ...fields,
    hour: hour === '*' || (isInterval && hour === 0) ? 1 : hour,
    ...(mode === 'daily' || mode === 'monthly' ? { day: day === '*' || day === 0 ? 1 : day } : {}),
    ...(mode === 'weekly' ? { weekdays: weekdays.length === 0 ? [0] : weekdays } : {}),
    ...(mode === 'monthly' ? { month: month === '*' || month === 0 ? 1 : month } : {}),
  }
}

/** Formats the fields as the expression of a mode. */
export function formatCron(mode: SimpleCronMode, fields: CronFields): string {
  const { minute, hour, day, month, weekdays } = completeFields(mode, fields)
  switch (mode) {
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

/** Adds or removes a weekday; the last one is not removed. */
export function toggleWeekday(weekdays: readonly number[], weekday: number): readonly number[] {
  if (!weekdays.includes(weekday)) return [...weekdays, weekday].sort((a, b) => a - b)
  return weekdays.length > 1 ? weekdays.filter((kept) => kept !== weekday) : weekdays
}

function splitExpression(expression: string): string[] {
  const text = expression.trim().toLowerCase()
  return (aliases[text] ?? text).split(/\s+/)
}

/** The index of the weekday in an expression without seconds. */
const weekdayIndex = 4

/** Whether the parts of two expressions mean the same. */
function isEquivalent(a: readonly string[], b: readonly string[]): boolean {
  return (
    a.length === b.length &&
    a.every((part, index) => normalizePart(part, index) === normalizePart(b[index] ?? '', index))
  )
}

function normalizePart(part: string, index: number): string {
  if (part === '?' || part === '*/1') return '*'
  if (index === weekdayIndex) return parseWeekdays(part)?.join() ?? part
  return part.replace(/\b0(?=\d)/, '')
}

/** Parses a number or an interval; `undefined` for anything else and above the maximum. */
function parseAmount(part: string, max: number): number | undefined {
  const digits = /^(?:\*\/)?(\d{1,2})$/.exec(part)?.[1]
  const number = Number(digits ?? Number.NaN)
  return number <= max ? number : undefined
}

const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Parses `1,3` or `mon-fri`; `undefined` when it is not a list of weekdays. */
function parseWeekdays(part: string): readonly number[] | undefined {
  const found = new Set<number>()
  for (const piece of part.split(',')) {
    const [from, to = from, ...more] = piece.split('-').map(parseWeekday)
    if (from === undefined || to === undefined || to < from || more.length > 0) return undefined
    for (let day = from; day <= to; day++) found.add(day)
  }
  return [...found].sort((a, b) => a - b)
}

function parseWeekday(text: string): number | undefined {
  const named = weekdayNames.indexOf(text)
  return named >= 0 ? named : /^[0-6]$/.test(text) ? Number(text) : undefined
}
