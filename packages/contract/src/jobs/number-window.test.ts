import { expect, test } from 'vitest'
import { NumberWindow } from './number-window.ts'

test('each number is accepted once, in any order', () => {
  const window = new NumberWindow()

  expect([3, 1, 2, 5, 4].map((number) => window.add(number))).toEqual([true, true, true, true, true])
  expect([1, 2, 3, 4, 5].map((number) => window.add(number))).toEqual([false, false, false, false, false])
})

test('a number far behind the highest one is rejected, and one within the window accepted', () => {
  const window = new NumberWindow()
  window.add(10_000)

  expect(window.add(10_000 - 4_096)).toBe(false)
  expect(window.add(10_000 - 4_095)).toBe(true)
  expect(window.add(10_000 - 4_095)).toBe(false)
})

test('no number is accepted twice, whatever the order', () => {
  const window = new NumberWindow()
  const accepted = new Set<number>()
  let seed = 7
  for (let turn = 0; turn < 50_000; turn++) {
    seed = (seed * 48_271) % 2_147_483_647
    const number = Math.floor(turn / 2) + (seed % 3_000) + 1
    if (window.add(number)) {
      expect(accepted.has(number)).toBe(false)
      accepted.add(number)
    }
  }
  expect(accepted.size).toBeGreaterThan(1_000)
})

test.for([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('%d is rejected', (number) => {
  expect(new NumberWindow().add(number)).toBe(false)
})
