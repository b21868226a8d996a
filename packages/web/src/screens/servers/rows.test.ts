import { expect, test } from 'vitest'
import { countsOf, pageOf, pagesAround } from './rows.ts'

test('a server at work counts as online', () => {
  expect(countsOf(['online', 'starting', 'offline', 'unknown', 'installing'])).toEqual({
    all: 5,
    online: 3,
    offline: 1,
    unknown: 1,
  })
})

test('a page behind the last shows the last', () => {
  expect(pageOf([1, 2, 3, 4, 5], 9, 2)).toEqual({ page: 3, rows: [5] })
  expect(pageOf([], 3, 10)).toEqual({ page: 1, rows: [] })
})

test('of many pages the first, the last and those around are offered', () => {
  expect(pagesAround(1, 2)).toEqual([1, 2])
  expect(pagesAround(5, 20)).toEqual([1, 0, 4, 5, 6, 0, 20])
  expect(pagesAround(1, 1)).toEqual([1])
})
