import { expect, test } from 'vitest'
import { filterFrom, isWhole, queryOf, wholeActivity, withFilter } from './filter.ts'

test('a filter that says nothing asks for everything', () => {
  expect(queryOf(wholeActivity)).toEqual({ page: 1 })
  expect(isWhole({ ...wholeActivity, page: 3 })).toBe(true)
  expect(isWhole({ ...wholeActivity, user: ' mara ' })).toBe(false)
})

test('the days of a filter are those of the browser, and the last one counts to its end', () => {
  const { from = '', to = '' } = queryOf({ ...wholeActivity, from: '2026-11-20', to: '2026-11-21' })

  expect(new Date(from)).toEqual(new Date(2026, 10, 20))
  expect(new Date(to)).toEqual(new Date(2026, 10, 22))
})

test('a filter survives the address, and what an address makes up counts as not set', () => {
  const filter = { ...wholeActivity, user: 'mara', action: 'server.*', result: 'refused', page: 2 } as const
  const search = withFilter(new URLSearchParams('server=0a1b2c3d'), filter)

  expect(search.get('server')).toBe('0a1b2c3d')
  expect(filterFrom(search)).toEqual(filter)
  expect(filterFrom(new URLSearchParams('result=odd&page=-1'))).toEqual(wholeActivity)
  expect(queryOf({ ...wholeActivity, from: 'yesterday' })).toEqual({ page: 1 })
})
