import { expect, test } from 'vitest'
import { readFilter, writeFilter } from '../list/filter-params.ts'
import { addFilter, hasInvalidNames } from './saved-filters.tsx'

test('a filter with its sorting survives being written and read', () => {
  const filter = {
    query: 'oak',
    status: 'crashed',
    node: 2,
    tags: ['EU', 'modded'],
    sort: 'cpu',
    order: 'desc',
  } as const

  const params = writeFilter(filter)

  expect(params).toEqual({ q: 'oak', status: 'crashed', node: '2', tag: 'EU,modded', sort: 'cpu', order: 'desc' })
  expect(readFilter(new URLSearchParams(params))).toEqual(filter)
})

test('what a link must not hold is left out', () => {
  const params = new URLSearchParams({
    status: 'gone',
    node: 'x',
    tag: `EU,${'x'.repeat(25)}`,
    sort: 'age',
    order: 'up',
  })

  expect(readFilter(params)).toEqual({ query: '', status: 'all', tags: ['EU'], sort: 'name', order: 'asc' })
})

test('a filter that is saved with the name of another one replaces it', () => {
  const filters = addFilter([{ name: 'Crashed', params: {} }], { name: ' crashed ', params: { status: 'crashed' } })

  expect(filters).toEqual([{ name: 'crashed', params: { status: 'crashed' } }])
})

test('two filters cannot have the same name, nor one an empty name', () => {
  const named = (...names: string[]) => names.map((name) => ({ name, params: {} }))

  expect(hasInvalidNames(named('EU', 'US'))).toBe(false)
  expect(hasInvalidNames(named('EU', 'eu '))).toBe(true)
  expect(hasInvalidNames(named(' '))).toBe(true)
})
