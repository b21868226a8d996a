import { expect, test } from 'vitest'
import { isUnfiltered, noFilter, parseFilter, setFilterParams, toQuery } from './filter.ts'

test('an empty filter requests everything', () => {
  expect(toQuery(noFilter)).toEqual({ page: 1 })
  expect(isUnfiltered({ ...noFilter, page: 3 })).toBe(true)
  expect(isUnfiltered({ ...noFilter, user: ' mara ' })).toBe(false)
})

test('dates are in the time zone of the browser, and the last one is included', () => {
  const { from = '', to = '' } = toQuery({ ...noFilter, from: '2026-11-20', to: '2026-11-21' })

  expect(new Date(from)).toEqual(new Date(2026, 10, 20))
  expect(new Date(to)).toEqual(new Date(2026, 10, 22))
})

test('a filter survives the address, and invalid values are ignored', () => {
  const filter = { ...noFilter, user: 'mara', action: 'server.*', result: 'refused', page: 2 } as const
  const search = setFilterParams(new URLSearchParams('server=0a1b2c3d'), filter)

  expect(search.get('server')).toBe('0a1b2c3d')
  expect(parseFilter(search)).toEqual(filter)
  expect(parseFilter(new URLSearchParams('result=odd&page=-1'))).toEqual(noFilter)
  expect(toQuery({ ...noFilter, from: 'yesterday' })).toEqual({ page: 1 })
})
