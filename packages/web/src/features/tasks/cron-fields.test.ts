import { describe, expect, test } from 'vitest'
import {
  adjusted,
  type CronFields,
  type CronForm,
  type CronMode,
  cronModes,
  defaultCron,
  expressionOf,
  fieldsOf,
  modeOf,
  toggledWeekday,
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
])('%s is %s, and is put together again as it was', (expression, mode, fields) => {
  expect(modeOf(expression)).toBe(mode)
  expect(fieldsOf(expression)).toEqual({ ...anything, ...fields })
  expect(expressionOf(mode as CronForm, fieldsOf(expression))).toBe(expression)
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
])('%s is %s written otherwise', (expression, mode, rebuilt) => {
  expect(modeOf(expression)).toBe(mode)
  expect(expressionOf(mode as CronForm, fieldsOf(expression))).toBe(rebuilt)
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
])('"%s" has no form: it is advanced', (expression) => {
  expect(modeOf(expression)).toBe('advanced')
})

describe('going to another form', () => {
  test.each<[string, CronForm, string]>([
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
    // What the form can hold stays.
    ['30 5 */2 * ?', 'hourly', '30 */5 * * ?'],
    ['30 */5 * * ?', 'daily', '30 5 */1 * ?'],
    ['0 4 2 */3 ?', 'daily', '0 4 */2 * ?'],
    // What was written by hand is taken over as far as it goes.
    ['*/10 4 * * 1-3', 'weekly', '0 4 ? * 1,2,3'],
    ['30 15 4 * * 1', 'weekly', '15 4 ? * 1'],
    ['nonsense', 'hourly', '0 */1 * * ?'],
    ['', 'monthly', '0 1 1 */1 ?'],
  ])('%s becomes %s as %s', (before, form, after) => {
    expect(expressionOf(form, adjusted(form, fieldsOf(before)))).toBe(after)
    expect(modeOf(after)).toBe(form)
  })

  test('changes nothing that the form does not show', () => {
    const fields = { minute: 5, hour: 0, day: 0, month: 0, weekdays: [] }

    expect(adjusted('hourly', fields)).toEqual({ ...fields, hour: 1 })
    expect(adjusted('daily', fields)).toEqual({ ...fields, hour: 1, day: 1 })
    expect(adjusted('weekly', fields)).toEqual({ ...fields, hour: 1, weekdays: [0] })
    expect(adjusted('monthly', fields)).toEqual({ ...fields, hour: 1, day: 1, month: 1 })
  })

  test('is what makes midnight one o’clock: in its form it can be chosen', () => {
    expect(expressionOf('weekly', { ...anything, hour: 0, weekdays: [5] })).toBe('0 0 ? * 5')
  })
})

test('every form can write every one of its values, and knows it again', () => {
  const forms = cronModes.filter((mode) => mode !== 'advanced')
  const written = forms.flatMap((form) =>
    [0, 1, 11, 12].map((number) => {
      const fields = { minute: number, hour: number, day: number, month: number, weekdays: [number % 7] }
      return [form, modeOf(expressionOf(form, fields))]
    }),
  )

  expect(written.filter(([form, known]) => form !== known)).toEqual([])
})

test('weekdays are kept in their order, and the last one stays', () => {
  expect(toggledWeekday([4], 1)).toEqual([1, 4])
  expect(toggledWeekday([1, 4], 4)).toEqual([1])
  expect(toggledWeekday([0], 0)).toEqual([0])
})
