import { expect, test } from 'vitest'
import { findGameQuery, findInvalidQueryField } from './query.ts'

const data = { port: { value: '2456' }, queryport: { value: 27_015 }, last: { value: 65_535 }, name: { value: 'x' } }

test.for<[unknown, number]>([
  [{ type: 'source' }, 2456],
  [{ type: 'source', port: 27_016 }, 27_016],
  [{ type: 'source', port: '27016' }, 27_016],
  [{ type: 'source', port: '${queryport}' }, 27_015],
  [{ type: 'source', port: '${port}+1' }, 2457],
  [{ type: 'source', port: '${port} + 10', added: 'later' }, 2466],
])('%j asks at port %i', ([query, port]) => {
  expect(findGameQuery({ query, data })).toEqual({ type: 'source', port })
})

test('the list of players has a port of its own', () => {
  const query = { type: 'minecraft', listPort: '${queryport}' }

  expect(findGameQuery({ query, data })).toEqual({ type: 'minecraft', port: 2456, listPort: 27_015 })
})

test('gamedig knows games by their ID', () => {
  const query = { type: 'gamedig', game: 'unrealtournament2004' }

  expect(findGameQuery({ query, data })).toEqual({ type: 'gamedig', port: 2456, game: 'unrealtournament2004' })
})

test.for<unknown>([
  undefined,
  'source',
  { type: 'unheard of' },
  { type: 'source', port: 0 },
  { type: 'source', port: 70_000 },
  { type: 'source', port: '${name}' },
  { type: 'source', port: '${missing}' },
  { type: 'source', port: '${last}+1' },
  { type: 'source', port: '${port}-1' },
  { type: 'source', port: '${constructor}' },
])('with %j the game is not asked', (query) => {
  expect(findGameQuery({ query, data })).toBeUndefined()
})

test('a server without a port is not asked', () => {
  expect(findGameQuery({ query: { type: 'minecraft' }, data: {} })).toBeUndefined()
})

test.for<[unknown, string | undefined]>([
  [undefined, undefined],
  [{ type: '' }, undefined],
  [{ type: 'of a later version', port: 'x' }, undefined],
  [{ type: 'source' }, undefined],
  [{ type: 'source', port: '27016' }, undefined],
  [{ type: 'source', port: '${port} + 1' }, undefined],
  // A template may leave the value to its users.
  [{ type: 'source', port: '${name}' }, undefined],
  [{ type: 'source', port: '${missing}' }, 'query.port'],
  [{ type: 'source', port: 0 }, 'query.port'],
  [{ type: 'source', port: '70000' }, 'query.port'],
  [{ type: 'minecraft', listPort: 'queryport' }, 'query.listPort'],
  [{ type: 'gamedig' }, 'query.game'],
  [{ type: 'gamedig', game: 'unrealtournament2004' }, undefined],
])('of %j the invalid field is %s', ([query, field]) => {
  expect(findInvalidQueryField({ query, data })).toBe(field)
})
