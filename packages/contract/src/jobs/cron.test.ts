import { expect, test } from 'vitest'
import { cronProblem, isTimezone, nextRuns, shortestIntervalMs } from './cron.ts'

/** Times of a schedule as UTC, `MM-DDTHH:MM:SS`, all of one year. */
function times(expression: string, timezone: string, from: string, count: number): string[] {
  const found = nextRuns(expression, { timezone, from: new Date(from), count })
  return found.map((time) => time.toISOString().slice(5, 19).replace(/:00$/, ''))
}

test.each([
  ['0 0 */1 * *', ['01-02T00:00', '01-03T00:00']],
  ['*/15 * * * *', ['01-01T00:15', '01-01T00:30']],
  ['*/2 * * * * *', ['01-01T00:00:02', '01-01T00:00:04']],
  ['5/20 * * * *', ['01-01T00:05', '01-01T00:25']],
  ['10 */3 * * ?', ['01-01T00:10', '01-01T03:10']],
  ['10 4 */2 * ?', ['01-01T04:10', '01-03T04:10']],
  ['10 4 ? * 1,3', ['01-05T04:10', '01-07T04:10']],
  ['10 4 2 */3 ?', ['01-02T04:10', '04-02T04:10']],
  ['0 12 * FEB mon-tue', ['02-02T12:00', '02-03T12:00']],
  ['0 0 * * 7', ['01-04T00:00', '01-11T00:00']],
  ['0 0 * * 0', ['01-04T00:00', '01-11T00:00']],
  // Both days restricted: either of them.
  ['0 0 3 * 1', ['01-03T00:00', '01-05T00:00']],
  ['0 0 31 * *', ['01-31T00:00', '03-31T00:00']],
  ['0 0 L * *', ['01-31T00:00', '02-28T00:00']],
  ['@hourly', ['01-01T01:00', '01-01T02:00']],
  ['@daily', ['01-02T00:00', '01-03T00:00']],
  ['@midnight', ['01-02T00:00', '01-03T00:00']],
  ['@weekly', ['01-04T00:00', '01-11T00:00']],
  ['@monthly', ['02-01T00:00', '03-01T00:00']],
  ['@yearly', ['01-01T00:00', '01-01T00:00']],
  ['@annually', ['01-01T00:00', '01-01T00:00']],
  ['@every 1h30m', ['01-01T01:30', '01-01T03:00']],
  ['@every 1.5m', ['01-01T00:01:30', '01-01T00:03']],
  ['  30   5 * * * ', ['01-01T05:30', '01-02T05:30']],
])('“%s” matches the expected times', (expression, expected) => {
  expect(cronProblem(expression)).toBeUndefined()
  expect(times(expression, 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual(expected)
})

test.each([
  '',
  '* * * *',
  '* * * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '0,,1 * * * *',
  '*/0 * * * *',
  'a * * * *',
  'monday',
  '@reboot',
  '@sometimes',
  '@every',
  '@every soon',
  '@every 10',
  '@every 200ms',
  '@every 100000h',
  '2026-01-01T00:00:00',
  '2026-01-01 1 1 1 1',
  '0 0 31 2 *',
])('“%s” is not a valid schedule', (expression) => {
  expect(cronProblem(expression)).toEqual(expect.stringMatching(/.{5,}/))
})

test('an invalid schedule never runs', () => {
  expect(nextRuns('* * * *', { count: 3 })).toEqual([])
  expect(nextRuns('* * * * *', { timezone: 'Europe/Atlantis', count: 3 })).toEqual([])
})

test('the next run is after the given time, at a whole second', () => {
  expect(times('* * * * * *', 'UTC', '2026-05-01T12:00:00.000Z', 1)).toEqual(['05-01T12:00:01'])
  expect(times('* * * * * *', 'UTC', '2026-05-01T12:00:00.999Z', 1)).toEqual(['05-01T12:00:01'])
  expect(times('@every 10s', 'UTC', '2026-05-01T12:00:10Z', 1)).toEqual(['05-01T12:00:20'])
})

test('February 29 matches only in leap years', () => {
  const found = nextRuns('0 0 29 2 *', { timezone: 'UTC', from: new Date('2026-01-01'), count: 2 })

  expect(found).toEqual([new Date('2028-02-29'), new Date('2032-02-29')])
})

const spring = '2026-03-28T23:30:00Z'
const autumn = '2026-10-24T23:30:00Z'

test.each([
  ['30 2 * * *', spring, ['03-29T01:00', '03-30T00:30']],
  ['30 2 * * *', autumn, ['10-25T00:30', '10-26T01:30']],
  ['*/30 2 * * *', spring, ['03-29T01:00', '03-30T00:00', '03-30T00:30']],
  ['*/30 2 * * *', autumn, ['10-25T00:00', '10-25T00:30', '10-26T01:00']],
  ['0 */2 * * *', spring, ['03-29T01:00', '03-29T02:00', '03-29T04:00']],
  ['0 */2 * * *', autumn, ['10-25T00:00', '10-25T03:00', '10-25T05:00']],
  // Every hour is every hour that passes.
  ['0 * * * *', spring, ['03-29T00:00', '03-29T01:00', '03-29T02:00']],
  ['0 * * * *', autumn, ['10-25T00:00', '10-25T01:00', '10-25T02:00']],
  ['0 */1 * * ?', autumn, ['10-25T00:00', '10-25T01:00', '10-25T02:00']],
  ['*/30 * * * *', autumn, ['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30', '10-25T02:00']],
  ['@every 45m', spring, ['03-29T00:00', '03-29T00:45', '03-29T01:30']],
])(
  '“%s” matches each wall-clock time once when daylight saving time changes (from %s)',
  (expression, from, expected) => {
    expect(times(expression, 'Europe/Berlin', from, expected.length)).toEqual(expected)
  },
)

test.each([
  ['Europe/Berlin', '2026-03-27', '2026-10-23'],
  ['America/New_York', '2026-03-06', '2026-10-30'],
  ['Australia/Lord_Howe', '2026-04-03', '2026-10-02'],
  ['UTC', '2026-02-27', '2026-12-30'],
])('iterating from each time to the next returns the same times as one list: %s', (timezone, ...days) => {
  for (const expression of ['30 2 * * *', '*/20 1-3 * * *', '0 * * * *', '15 */6 * * *']) {
    for (const from of days.map((day) => new Date(day))) {
      const list = nextRuns(expression, { timezone, from, count: 40 })

      const walked = [from]
      while (walked.length <= list.length)
        walked.push(...nextRuns(expression, { timezone, from: walked.at(-1) ?? from, count: 1 }))

      expect(walked.slice(1)).toEqual(list)
      expect(new Set(list.map(Number)).size).toBe(40)
    }
  }
})

test('only known time zones are valid', () => {
  expect(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'].every(isTimezone)).toBe(true)
  expect(['', 'Europe/Atlantis', 'Local time', '../etc'].some(isTimezone)).toBe(false)
})

test.each([
  ['* * * * * *', 1],
  ['*/10 * * * * *', 10],
  ['0,55 * * * * *', 5],
  ['0,55 0 * * * *', 55],
  ['0,55 59,0 * * * *', 5],
  ['3,5 0 4 1 1 *', 2],
  ['0 4 * * *', 60],
  ['@hourly', 60],
  ['@every 9s', 9],
  ['@every 1h', 3600],
])('%s has a minimum interval of %s seconds', (expression, seconds) => {
  expect(shortestIntervalMs(expression)).toBe(seconds * 1_000)
})
