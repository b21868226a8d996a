import { expect, test } from 'vitest'
import { Delays, figuresOf, judge } from './figures.ts'

test('the median is the middle one, or between the two in the middle', () => {
  expect(figuresOf([3, 1, 2]).median).toBe(2)
  expect(figuresOf([4, 1, 2, 3]).median).toBe(2.5)
  expect(figuresOf([7])).toEqual({ median: 7, spread: 0 })
})

test('the spread is how far the extremes lie apart, in medians', () => {
  expect(figuresOf([90, 100, 120]).spread).toBeCloseTo(0.3)
  expect(() => figuresOf([])).toThrow('Nothing was measured')
})

test('one in a hundred delays may be longer, and a few delays say nothing about that', () => {
  const delays = Array.from({ length: 200 }, (_, at) => 200 - at)

  expect(new Delays(delays).p99).toBe(198)
  expect(() => new Delays(delays.slice(0, 99)).p99).toThrow('99 measurements are too few')
})

test.for([
  [{ speed: 0.8 }, 10, 9, 0.9, true],
  [{ speed: 0.8 }, 10, 7, 0.7, false],
  [{ time: 0.35 }, 3, 10, 0.3, true],
  [{ time: 0.35 }, 4, 10, 0.4, false],
] as const)('a goal of %o with %d s of ours and %d s of the reference', ([goal, ours, reference, ratio, isMet]) => {
  const judged = judge(goal, ours, reference)

  expect(judged.ratio).toBeCloseTo(ratio)
  expect(judged.isMet).toBe(isMet)
})
