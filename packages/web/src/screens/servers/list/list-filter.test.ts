import { expect, test } from 'vitest'
import { countByStatus, getPage, toggleSort } from './list-filter.ts'

test('a starting or installing server counts as busy, and a crashed one as crashed', () => {
  expect(countByStatus(['online', 'starting', 'offline', 'crashed', 'unknown', 'installing', 'suspended'])).toEqual({
    all: 7,
    online: 1,
    busy: 2,
    offline: 1,
    crashed: 1,
    notResponding: 0,
    suspended: 1,
    unknown: 1,
  })
})

test('a column header sorts by its column, CPU and memory descending first, and reverses the order at the next click', () => {
  expect(toggleSort('cpu', { sort: 'name', order: 'asc' })).toEqual({ sort: 'cpu', order: 'desc' })
  expect(toggleSort('cpu', { sort: 'cpu', order: 'desc' })).toEqual({ sort: 'cpu', order: 'asc' })
  expect(toggleSort('node', { sort: 'cpu', order: 'desc' })).toEqual({ sort: 'node', order: 'asc' })
})

test('a page number behind the last page gives the last page', () => {
  expect(getPage([1, 2, 3, 4, 5], 9, 2)).toEqual({ page: 3, rows: [5] })
  expect(getPage([], 3, 10)).toEqual({ page: 1, rows: [] })
})
