import { expect, test } from 'vitest'
import { sampleOf } from './verify-backup.ts'

const files = [10, 400, 20, 30].map((size) => ({ size }))

test('a sample has random files within the size', () => {
  const sample = sampleOf(files, 50)

  expect(sample.length).toBeGreaterThan(1)
  expect(sample.every((file) => files.includes(file))).toBe(true)
  expect(sample.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(50)
})

test('when all files are too large, the smallest one is the sample', () => {
  expect(sampleOf(files, 5)).toEqual([{ size: 10 }])
  expect(sampleOf([], 5)).toEqual([])
})

test('the number of files is limited', () => {
  expect(
    sampleOf(
      Array.from({ length: 1000 }, () => ({ size: 1 })),
      1e9,
    ),
  ).toHaveLength(200)
})
