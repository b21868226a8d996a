import { expect, test } from 'vitest'
import { toGameStatus } from './game-status.ts'

test('texts are on one line and of limited length, and names that are empty are left out', () => {
  const status = toGameStatus(
    {
      online: 2,
      max: 2_147_483_647,
      name: `\x1b[31m${'x'.repeat(5_000)}`,
      map: 'two\nlines\u202e',
      version: '\0\0',
      names: [{ name: 'a\tb' }, { name: '\x07' }, { name: 'c', id: 'i'.repeat(2_000) }],
    },
    12.4,
  )

  expect(status).toMatchObject({ map: 'two lines', answeredMs: 12, players: { online: 2, max: 1_000_000 } })
  expect(status.name).toHaveLength(100)
  expect(status.name).not.toContain('\x1b')
  expect(status).not.toHaveProperty('version')
  expect(status.players.names?.map(({ name }) => name)).toEqual(['a b', 'c'])
  expect(status.players.names?.[1]?.id).toHaveLength(100)
})

test('of many names only the first are kept', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => ({ name: `Player ${at}` }))

  expect(toGameStatus({ online: 10_000, max: 10_000, names }, 1).players.names).toHaveLength(500)
})

test.for([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2_000_000])('%d players are no answer', (online) => {
  expect(() => toGameStatus({ online, max: 20 }, 1)).toThrow()
})
