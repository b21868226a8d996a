import { expect, test } from 'vitest'
import { RowHeights } from './row-heights.ts'

function createHeights(count: number, height: (number: number) => number, origin = 0): RowHeights {
  const heights = new RowHeights(origin)
  for (let number = origin; number < origin + count; number++) heights.push(height(number))
  return heights
}

test('a line is found by its offset, and an offset by the line', () => {
  const heights = createHeights(1_000, (number) => (number % 3 === 0 ? 40 : 20), 100)

  for (const number of [100, 101, 355, 356, 357, 800, 1_099]) {
    const offset = heights.getOffset(number)
    expect(heights.getLineAt(offset)).toBe(number)
    expect(heights.getLineAt(offset + 19)).toBe(number)
  }
})

test('offsets out of range belong to the first or last line', () => {
  const heights = createHeights(10, () => 20, 5)

  expect(heights.getLineAt(-100)).toBe(5)
  expect(heights.getLineAt(10_000)).toBe(14)
  expect(heights.getOffset(99)).toBe(200)
})

test('a measured height moves all lines below', () => {
  const heights = createHeights(600, () => 20)

  const difference = heights.set(10, 60)

  expect(difference).toBe(40)
  expect(heights.getOffset(10)).toBe(200)
  expect(heights.getOffset(11)).toBe(260)
  expect(heights.getOffset(500)).toBe(10_040)
  expect(heights.total).toBe(12_040)
})

test('dropping the first lines moves the rest up and keeps their numbers', () => {
  const heights = createHeights(600, () => 20)
  heights.set(400, 60)

  heights.dropBefore(300)

  expect(heights.origin).toBe(300)
  expect(heights.getOffset(401)).toBe(101 * 20 + 40)
  expect(heights.total).toBe(300 * 20 + 40)
})

test('dropping more lines than exist leaves none', () => {
  const heights = createHeights(10, () => 20)

  heights.dropBefore(50)

  expect(heights.total).toBe(0)
  expect(heights.end).toBe(50)
})

test('offsets stay correct over many added and dropped lines', () => {
  const heights = createHeights(100, () => 20)

  for (let number = 100; number < 40_000; number++) {
    heights.push(20)
    heights.dropBefore(number - 99)
  }

  expect(heights.total).toBe(2_000)
  expect(heights.getOffset(39_999)).toBe(99 * 20)
  expect(heights.getLineAt(0)).toBe(39_900)
  expect(heights.getLineAt(-5)).toBe(39_900)
})
