import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

test.each([
  ['0', 0],
  ['90s', 90_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['250ms', 250],
  ['1500us', 1.5],
  ['1500µs', 1.5],
  ['2h0m1s', 7_201_000],
])('“%s” is a duration', (text, ms) => {
  expect(parseDuration(text)).toBeCloseTo(ms)
})

test.each(['', '5', 's', '-1s', '1 h', '1h ', '1d', '1e3s', '1h30'])('“%s” is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})
