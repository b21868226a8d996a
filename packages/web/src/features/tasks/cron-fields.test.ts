import { describe, expect, test } from 'vitest'
import {
  adjustForMode,
  type CronFields,
  type CronMode,
  cronModes,
  defaultCron,
  formatCron,
  getCronMode,
  parseCron,
  type SimpleCronMode,
  toggleWeekday,
} from './cron-fields.ts'

const anything: CronFields = { minute: 0, hour: '*', day: '*', month: '*', weekdays: [] }

test.each<[string, CronMode, Partial<CronFields>]>([
  ['15 */6 * * ?', 'hourly', { minute: 15, hour: 6 }],
  ['15 */1 * * ?', 'hourly', { minute: 15, hour: 1 }],
  ['30 4 */1 * ?', 'daily', { minute: 30, hour: 4, day: 1 }],
  ['0 0 */3 * ?', 'daily', { hour: 0, day: 3 }],
  ['30 6 ? * 1,4', 'weekly', { minute: 30, hour: 6, weekdays: [1, 4] }],
  ['0 23 ? * 0', 'weekly', { hour: 23, weekdays: [0] }],
  ['0 0 ? * 0,1,2,3,4,5,6', 'weekly', { hour: 0, weekdays: [0, 1, 2, 3, 4, 5, 6] }],
  ['59 23 31 */12 ?', 'monthly', { minute: 59, hour: 23, day: 31, month: 12 }],
  ['0 4 1 */1 ?', 'monthly', { hour: 4, day: 1, month: 1 }],
])('%s is %s, and is formatted as it was', (expression, mode, fields) => {
  expect(getCronMode(expression)).toBe(mode)
  expect(parseCron(expression)).toEqual({ ...anything, ...fields })
  expect(formatCron(mode as SimpleCronMode, parseCron(expression))).toBe(expression)
})

test.each<[string, CronMode, string]>([
  [defaultCron, 'daily', '0 0 */1 * ?'],
  ['5 * * * *', 'hourly', '5 */1 * * ?'],
  ['05 04 * * *', 'daily', '5 4 */1 * ?'],
  [' 0  4 *  * ? ', 'daily', '0 4 */1 * ?'],
  ['0 4 * * 1', 'weekly', '0 4 ? * 1'],
  ['0 4 ? * MON-FRI', 'weekly', '0 4 ? * 1,2,3,4,5'],
  ['0 4 * * 4,1,sun', 'weekly', '0 4 ? * 0,1,4'],
  ['0 4 15 * *', 'monthly', '0 4 15 */1 ?'],
  ['@hourly', 'hourly', '0 */1 * * ?'],
  ['@daily', 'daily', '0 0 */1 * ?'],
  ['@weekly', 'weekly', '0 0 ? * 0'],
  ['@monthly', 'monthly', '0 0 1 */1 ?'],
])('%s is %s in another notation', (expression, mode, rebuilt) => {
  expect(getCronMode(expression)).toBe(mode)
  expect(formatCron(mode as SimpleCronMode, parseCron(expression))).toBe(rebuilt)
})

test.each([
  '',
  'nonsense',
  '* * * * *',
  '*/5 * * * *',
  '0,30 4 * * *',
  '0 4-6 * * *',
  '0 */4 * * 1',
  '0 */4 */2 * *',
  '0 4 */2 * 1',
  '0 4 13 * 5',
  '0 4 1-7 * *',
  '0 4 1 6 *',
  '0 4 * 6 *',
  '0 4 l * *',
  '0 4 * * 5l',
  '0 4 * * 8',
  '0 4 * * 5-1',
  '60 4 * * *',
  '0 24 * * *',
  '0 */24 * * *',
  '0 */0 * * *',
  '0 4 0 * *',
  '0 4 32 * *',
  '0 4 */0 * *',
  '0 4 1 */0 *',
  '0 4 1 */13 *',
  '0 0 4 * * *',
  '*/5 * * * * *',
  '0 4 * *',
  '@every 90s',
  '@yearly',
  '@reboot',
])('"%s" is advanced', (expression) => {
  expect(getCronMode(expression)).toBe('advanced')
})

describe('switching to another mode', () => {
  test.each<[string, SimpleCronMode, string]>([
    // An hour of 0 or * becomes 1.
    ['0 0 */1 * ?', 'hourly', '0 */1 * * ?'],
    ['20 * * * *', 'daily', '20 1 */1 * ?'],
    // A day of 0 or * becomes 1.
    ['0 4 ? * 1,4', 'daily', '0 4 */1 * ?'],
    ['0 4 0 * *', 'daily', '0 4 */1 * ?'],
    ['0 4 ? * 1,4', 'monthly', '0 4 1 */1 ?'],
    // No weekday becomes Sunday.
    ['0 4 */2 * ?', 'weekly', '0 4 ? * 0'],
    // A month of 0 or * becomes 1.
    ['0 4 */2 * ?', 'monthly', '0 4 2 */1 ?'],
    ['0 4 3 0 *', 'monthly', '0 4 3 */1 ?'],
    ['0 0 */1 * ?', 'weekly', '0 1 ? * 0'],
    ['0 0 ? * 1', 'monthly', '0 1 1 */1 ?'],
    // Values that the form can represent are kept.
    ['30 5 */2 * ?', 'hourly', '30 */5 * * ?'],
    ['30 */5 * * ?', 'daily', '30 5 */1 * ?'],
    ['0 4 2 */3 ?', 'daily', '0 4 */2 * ?'],
    // Other expressions are converted as far as possible.
    ['*/10 4 * * 1-3', 'weekly', '0 4 ? * 1,2,3'],
    ['30 15 4 * * 1', 'weekly', '15 4 ? * 1'],
    ['nonsense', 'hourly', '0 */1 * * ?'],
    ['', 'monthly', '0 1 1 */1 ?'],
  ])('%s becomes %s as %s', (before, form, after) => {
    expect(formatCron(form, adjustForMode(form, parseCron(before)))).toBe(after)
    expect(getCronMode(after)).toBe(form)
  })

  test('keeps fields that the form does not show', () => {
    const fields = { minute: 5, hour: 0, day: 0, month: 0, weekdays: [] }

    expect(adjustForMode('hourly', fields)).toEqual({ ...fields, hour: 1 })
    expect(adjustForMode('daily', fields)).toEqual({ ...fields, hour: 1, day: 1 })
    expect(adjustForMode('weekly', fields)).toEqual({ ...fields, hour: 1, weekdays: [0] })
    expect(adjustForMode('monthly', fields)).toEqual({ ...fields, hour: 1, day: 1, month: 1 })
  })

  test('changes hour 0 to 1, which the form itself can set to 0', () => {
    expect(formatCron('weekly', { ...anything, hour: 0, weekdays: [5] })).toBe('0 0 ? * 5')
  })
})

test('the mode of every expression that a form can produce is detected', () => {
  const forms = cronModes.filter((mode) => mode !== 'advanced')
  const written = forms.flatMap((form) =>
    [0, 1, 11, 12].map((number) => {
      const fields = { minute: number, hour: number, day: number, month: number, weekdays: [number % 7] }
      return [form, getCronMode(formatCron(form, fields))]
    }),
  )

  expect(written.filter(([form, known]) => form !== known)).toEqual([])
})

test('weekdays stay sorted, and the last one is not removed', () => {
  expect(toggleWeekday([4], 1)).toEqual([1, 4])
  expect(toggleWeekday([1, 4], 4)).toEqual([1])
  expect(toggleWeekday([0], 0)).toEqual([0])
})
