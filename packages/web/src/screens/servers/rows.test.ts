import { expect, test } from 'vitest'
import { countsOf, pageOf, pagesAround, sortedBy } from './rows.ts'

test('a server at work counts as busy, and one that crashed as crashed', () => {
  expect(countsOf(['online', 'starting', 'offline', 'crashed', 'unknown', 'installing'])).toEqual({
    all: 6,
    online: 1,
    busy: 2,
    offline: 1,
    crashed: 1,
    unknown: 1,
  })
})

test('a click on a head sorts by it, the busiest first for measures, and another turns the order round', () => {
  expect(sortedBy('cpu', { sort: 'name', order: 'asc' })).toEqual({ sort: 'cpu', order: 'desc' })
  expect(sortedBy('cpu', { sort: 'cpu', order: 'desc' })).toEqual({ sort: 'cpu', order: 'asc' })
  expect(sortedBy('node', { sort: 'cpu', order: 'desc' })).toEqual({ sort: 'node', order: 'asc' })
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
