import { expect, test } from 'vitest'
import { mayBegin, nextQuietTime } from './quiet-hours.ts'

const at = (text: string) => new Date(`2026-11-${text}:00`)

test.each([
  [{ from: 2, to: 6 }, 1, false],
  [{ from: 2, to: 6 }, 2, true],
  [{ from: 2, to: 6 }, 6, false],
  [{ from: 22, to: 4 }, 23, true],
  [{ from: 22, to: 4 }, 3, true],
  [{ from: 22, to: 4 }, 12, false],
])('in the quiet hours %o, work at %i o’clock may begin: %o', (quietHours, hour, expected) => {
  const now = new Date(2026, 2, 10, hour, 30)

  expect(mayBegin(now.getTime(), quietHours, now)).toBe(expected)
})

test('after a day, work does not wait for quiet hours', () => {
  const now = new Date(2026, 2, 10, 12)

  expect(mayBegin(now.getTime() - 25 * 60 * 60 * 1000, { from: 2, to: 6 }, now)).toBe(true)
})

test.for([
  ['20T12:00', '20T10:00', '21T02:00'],
  ['20T03:00', '20T01:00', '20T03:00'],
  ['20T12:00', '22T10:00', '23T02:00'],
  ['20T12:00', '18T10:00', '20T12:00'],
] as const)('at %s, work due since %s is planned at %s', ([now, due, planned]) => {
  expect(nextQuietTime(at(due).getTime(), { from: 2, to: 6 }, at(now))).toBe(at(planned).getTime())
})
