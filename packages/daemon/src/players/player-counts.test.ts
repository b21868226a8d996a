import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { minecraftStatus, startSourceGame, startTcpGame } from '../testing/game-servers.ts'
import { type Game, PlayerCounts } from './player-counts.ts'

const log = pino({ level: 'silent' })
const id = '0a0a0a0a'
const status = minecraftStatus({ players: { online: 3, max: 20, sample: [] }, favicon: 'x'.repeat(40_000) })

function game(port: number, change: Partial<Game> = {}): Game {
  return { id, isOnline: true, queryType: 'minecraft', address: { ip: '0.0.0.0', port }, ...change }
}

function counts(options: { everyMs?: number; timeoutMs?: number } = {}) {
  const players = new PlayerCounts({ log, ...options })
  return Object.assign(players, { [Symbol.asyncDispose]: () => players.close() })
}

test('Minecraft is asked in the background, and not again before the interval ends', async () => {
  await using server = await startTcpGame(status)
  await using players = counts({ everyMs: 60_000 })

  const first = players.latest([game(server.port)])
  await vi.waitFor(() => expect(players.latest([game(server.port)]).get(id)).toEqual({ online: 3, max: 20 }))

  expect(first.size).toBe(0)
  expect(server.queries()).toBe(1)
})

test('a game with the Source engine is asked with its challenge', async () => {
  await using server = await startSourceGame({ online: 7, max: 32 })
  await using players = counts({ everyMs: 60_000 })
  const source = game(server.port, { queryType: 'source' })

  await vi.waitFor(() => expect(players.latest([source]).get(id)).toEqual({ online: 7, max: 32 }))

  expect(server.queries()).toBe(2)
})

test('a count is forgotten when the game is not online any more', async () => {
  await using server = await startTcpGame(status)
  await using players = counts({ everyMs: 60_000 })
  await vi.waitFor(() => expect(players.latest([game(server.port)]).size).toBe(1))

  const offline = players.latest([game(server.port, { isOnline: false })])
  const again = players.latest([game(server.port)])

  expect([offline.size, again.size]).toEqual([0, 0])
})

const hostile: Readonly<Record<string, Buffer>> = {
  'an endless status': Buffer.concat([Buffer.from([0xff, 0xff, 0x7f, 0]), Buffer.alloc(1024 * 1024, 'x')]),
  'a status that promises too much': Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]),
  'another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'a negative number': minecraftStatus({ players: { online: -3, max: 20 } }),
  'no JSON': Buffer.from([3, 0, 1, 0x7b]),
}

test.for(Object.entries(hostile))('%s is no count', async ([, answer]) => {
  await using server = await startTcpGame(answer)
  await using players = counts({ everyMs: 0 })

  await vi.waitFor(() => {
    expect(players.latest([game(server.port)]).size).toBe(0)
    expect(server.queries()).toBeGreaterThan(1)
  })
})

test('a game that does not answer is given up after the timeout, and asked again', async () => {
  await using server = await startTcpGame(undefined)
  await using players = counts({ everyMs: 0, timeoutMs: 20 })

  await vi.waitFor(() => {
    expect(players.latest([game(server.port)]).size).toBe(0)
    expect(server.queries()).toBeGreaterThan(1)
  })
})

test.for<[string, Partial<Game>]>([
  ['is not online', { isOnline: false }],
  ['has no type of query', { queryType: undefined }],
])('a game that %s is not asked', async ([, change]) => {
  await using server = await startTcpGame(status)
  await using players = counts({ everyMs: 0 })
  await using other = await startTcpGame(status)

  players.latest([game(server.port, change), game(other.port, { id: '0b0b0b0b' })])
  await vi.waitFor(() => expect(other.queries()).toBe(1))

  expect(server.queries()).toBe(0)
})

test('an address that is not one of this machine is not asked', async () => {
  const debug = vi.fn<(fields: { err: Error }) => void>()
  const players = new PlayerCounts({ log: Object.assign(pino({ level: 'silent' }), { debug }) })

  players.latest([game(25_565, { address: { ip: '192.0.2.1', port: 25_565 } })])
  await players.close()

  expect(debug.mock.calls[0]?.[0].err.message).toBe('the address is not one of this machine')
})
