import { expect, test } from 'vitest'
import { Delays, evaluate, summarize } from './statistics.ts'

test('the median is the middle value or the mean of the two middle values', () => {
  expect(summarize([3, 1, 2]).median).toBe(2)
  expect(summarize([4, 1, 2, 3]).median).toBe(2.5)
  expect(summarize([7])).toEqual({ median: 7, spread: 0 })
})

test('the spread is the range relative to the median', () => {
  expect(summarize([90, 100, 120]).spread).toBeCloseTo(0.3)
  expect(() => summarize([])).toThrow('Nothing was measured')
})

test('p99 is the 99th percentile and needs 100 measurements', () => {
  const delays = Array.from({ length: 200 }, (_, index) => 200 - index)

  expect(new Delays(delays).p99).toBe(198)
  expect(() => new Delays(delays.slice(0, 99)).p99).toThrow('99 measurements are too few')
})

test.for([
  [{ speed: 0.8 }, 10, 9, 0.9, true],
  [{ speed: 0.8 }, 10, 7, 0.7, false],
  [{ time: 0.35 }, 3, 10, 0.3, true],
  [{ time: 0.35 }, 4, 10, 0.4, false],
] as const)('a goal of %o with %d s of ours and %d s of the reference', ([goal, ours, reference, ratio, isMet]) => {
  const result = evaluate(goal, ours, reference)

  expect(result.ratio).toBeCloseTo(ratio)
  expect(result.isMet).toBe(isMet)
})
