import { expect, test } from 'vitest'
import { CountdownMinutes, toCountdownText } from './countdown.ts'

test.each([
  [undefined, [10, 5, 1]],
  [null, [10, 5, 1]],
  ['', [10, 5, 1]],
  [[], [10, 5, 1]],
  ['5', [5]],
  [15, [15]],
  ['1, 30 5;10,', [30, 10, 5, 1]],
  [
    [2, '1', 2],
    [2, 1],
  ],
  ['180', [180]],
])('the minutes %j are %j', (input, minutes) => {
  expect(CountdownMinutes.parse(input)).toEqual(minutes)
})

test.each(['0', '181', '1.5', '-1', 'soon', '5 soon', true, [null], Array.from({ length: 21 }, (_, at) => at + 1)])(
  'the minutes %j are refused',
  (input) => {
    expect(CountdownMinutes.safeParse(input).success).toBe(false)
  },
)

test('the message has the remaining minutes wherever it asks for them', () => {
  expect(toCountdownText('{minutes} min, {minute}: {minutes}$&', 5)).toBe('5 min, {minute}: 5$&')
})
