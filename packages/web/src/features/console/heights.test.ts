import { expect, test } from 'vitest'
import { Heights } from './heights.ts'

function tall(count: number, height: (number: number) => number, origin = 0): Heights {
  const heights = new Heights(origin)
  for (let number = origin; number < origin + count; number++) heights.push(height(number))
  return heights
}

test('a line is found by its place, and its place by its number', () => {
  const heights = tall(1_000, (number) => (number % 3 === 0 ? 40 : 20), 100)

  for (const number of [100, 101, 355, 356, 357, 800, 1_099]) {
    const offset = heights.offsetOf(number)
    expect(heights.lineAt(offset)).toBe(number)
    expect(heights.lineAt(offset + 19)).toBe(number)
  }
})

test('places outside belong to the first and the last line', () => {
  const heights = tall(10, () => 20, 5)

  expect(heights.lineAt(-100)).toBe(5)
  expect(heights.lineAt(10_000)).toBe(14)
  expect(heights.offsetOf(99)).toBe(200)
})

test('a measured height moves everything below', () => {
  const heights = tall(600, () => 20)

  const difference = heights.set(10, 60)

  expect(difference).toBe(40)
  expect(heights.offsetOf(10)).toBe(200)
  expect(heights.offsetOf(11)).toBe(260)
  expect(heights.offsetOf(500)).toBe(10_040)
  expect(heights.total).toBe(12_040)
})

test('dropping the first lines moves the rest up and keeps numbers', () => {
  const heights = tall(600, () => 20)
  heights.set(400, 60)

  heights.dropBefore(300)

  expect(heights.origin).toBe(300)
  expect(heights.offsetOf(401)).toBe(101 * 20 + 40)
  expect(heights.total).toBe(300 * 20 + 40)
})

test('dropping more than there is leaves nothing', () => {
  const heights = tall(10, () => 20)

  heights.dropBefore(50)

  expect(heights.total).toBe(0)
  expect(heights.end).toBe(50)
})

test('lines that were taken back are forgotten', () => {
  const heights = tall(10, () => 20)

  heights.dropFrom(4)

  expect(heights.end).toBe(4)
  expect(heights.total).toBe(80)
})

test('lines that come and go for ever stay where they belong', () => {
  const heights = tall(100, () => 20)

  for (let number = 100; number < 40_000; number++) {
    heights.push(20)
    heights.dropBefore(number - 99)
  }

  expect(heights.total).toBe(2_000)
  expect(heights.offsetOf(39_999)).toBe(99 * 20)
  expect(heights.lineAt(0)).toBe(39_900)
  expect(heights.lineAt(-5)).toBe(39_900)
})
