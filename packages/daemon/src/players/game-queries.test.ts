import type { GameQuery } from '@innkeeper/contract/definitions/query'
import type { GameStatus, PlayerCounts } from '@innkeeper/contract/servers/players'
import type { ServerState } from '@innkeeper/contract/servers/status'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { minecraftStatus, startTcpGame } from '../testing/game-servers.ts'
import { GameQueries, getBackoff, type QueriedServer } from './game-queries.ts'

const log = pino({ level: 'silent' })
const answer = minecraftStatus({ players: { online: 3, max: 20 }, version: { name: '1.21.8' } })

/** A server whose game listens on a port. */
class FakeServer implements QueriedServer {
  readonly id: string
  readonly status: { state: ServerState } = { state: 'online' }
  readonly address: { ip: string; port: number }
  gameQuery: GameQuery | undefined
  players: PlayerCounts | undefined

  constructor(port: number, id = '0a0a0a0a') {
    this.id = id
    this.address = { ip: '0.0.0.0', port }
    this.gameQuery = { type: 'minecraft', port }
  }

  setPlayers(players: PlayerCounts | undefined): void {
    this.players = players
  }
}

type Options = Partial<ConstructorParameters<typeof GameQueries>[0]>

function startQueries(servers: readonly FakeServer[], options: Options = {}) {
  const listeners = new Set<() => void>()
  const onChange = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const intervals = { tickMs: 1, everyMs: 60_000, idleEveryMs: 60_000 }
  const queries = new GameQueries({ servers: { servers, onChange }, log, ...intervals, ...options })
  const heard: (GameStatus | undefined)[] = []
  queries.onStatus((_, status) => heard.push(status))
  return Object.assign(queries, {
    heard,
    setState(server: FakeServer, state: ServerState) {
      server.status.state = state
      for (const listener of listeners) listener()
    },
    [Symbol.asyncDispose]: () => queries.close(),
  })
}

test('a game is asked in the background, and not again before the interval ends', async () => {
  await using game = await startTcpGame(answer)
  const server = new FakeServer(game.port)
  await using other = await startTcpGame(answer)
  await using queries = startQueries([server])

  await vi.waitFor(() => expect(server.players).toEqual({ online: 3, max: 20 }))
  // Meanwhile it could have been asked often.
  const often = new FakeServer(other.port, '0b0b0b0b')
  await using _ = startQueries([often], { idleEveryMs: 0 })
  await vi.waitFor(() => expect(other.queries()).toBeGreaterThan(3))

  expect(game.queries()).toBe(1)
  expect(queries.find(server.id)).toMatchObject({ players: { online: 3, max: 20 }, version: '1.21.8' })
  expect(queries.heard).toHaveLength(1)
})

test('a check asks a game that has not just answered, and learns why it does not', async () => {
  await using game = await startTcpGame(answer)
  await using silent = await startTcpGame(undefined)
  const server = new FakeServer(game.port)
  await using queries = startQueries([server])

  const first = await queries.ask(server, 5_000)
  const again = await queries.ask(server, 5_000)
  const failed = await queries.ask(new FakeServer(silent.port, '0b0b0b0b'), 1)
  const unknown = await queries.ask(Object.assign(new FakeServer(1, '0c0c0c0c'), { gameQuery: undefined }), 1)

  expect([first?.status, again?.status]).toMatchObject([{ players: { online: 3 } }, { players: { online: 3 } }])
  expect(game.queries()).toBe(1)
  expect(failed).toEqual({ error: expect.stringContaining('timeout') })
  expect(unknown).toBeUndefined()
})

test('while somebody looks, a game is asked more often', async () => {
  await using game = await startTcpGame(answer)
  await using queries = startQueries([new FakeServer(game.port)], { everyMs: 0 })
  await vi.waitFor(() => expect(queries.heard).toHaveLength(1))

  queries.look()

  await vi.waitFor(() => expect(queries.heard.length).toBeGreaterThan(3))
})

test('what is known is forgotten when the server is not online any more', async () => {
  await using game = await startTcpGame(answer)
  const server = new FakeServer(game.port)
  await using queries = startQueries([server])
  await vi.waitFor(() => expect(queries.find(server.id)).toBeDefined())

  queries.setState(server, 'stopping')

  expect(queries.find(server.id)).toBeUndefined()
  expect(queries.heard.at(-1)).toBeUndefined()
  expect(queries.heard).toHaveLength(2)
})

test('a game that does not answer is given up after the timeout, and asked again', async () => {
  await using game = await startTcpGame(undefined)
  await using queries = startQueries([new FakeServer(game.port)], { idleEveryMs: 0, timeoutMs: 1 })

  await vi.waitFor(() => expect(game.queries()).toBeGreaterThan(3))

  expect(queries.heard.length).toBeGreaterThan(1)
  expect(queries.heard.every((status) => status === undefined)).toBe(true)
})

test.for([
  [0, 1],
  [3, 1],
  [4, 2],
  [5, 4],
  [7, 16],
  [1_000, 16],
] as const)('after %d failures a game is asked after %d times the interval', ([failures, times]) => {
  expect(getBackoff(failures)).toBe(times)
})

test('a game that answers no more is reported as unknown', async () => {
  const game = await startTcpGame(answer)
  const server = new FakeServer(game.port)
  await using queries = startQueries([server], { idleEveryMs: 0 })
  await vi.waitFor(() => expect(server.players).toBeDefined())

  await game[Symbol.asyncDispose]()

  await vi.waitFor(() => expect(server.players).toBeUndefined())
  expect(queries.find(server.id)).toBeUndefined()
})

test.for<[string, (server: FakeServer) => void]>([
  ['is not online', (server) => Object.assign(server.status, { state: 'starting' })],
  ['cannot be asked', (server) => Object.assign(server, { gameQuery: undefined })],
  ['has an address of another machine', (server) => Object.assign(server.address, { ip: '192.0.2.1' })],
])('a game that %s is not asked', async ([, change]) => {
  await using game = await startTcpGame(answer)
  await using other = await startTcpGame(answer)
  const server = new FakeServer(game.port)
  change(server)
  await using _ = startQueries([server, new FakeServer(other.port, '0b0b0b0b')], { idleEveryMs: 0 })

  await vi.waitFor(() => expect(other.queries()).toBeGreaterThan(5))

  expect(game.queries()).toBe(0)
})

test('a server whose definition changes is asked as the new one says', async () => {
  await using game = await startTcpGame(answer)
  const server = new FakeServer(game.port)
  server.gameQuery = undefined
  await using queries = startQueries([server], { idleEveryMs: 0 })

  server.gameQuery = { type: 'minecraft', port: game.port }

  await vi.waitFor(() => expect(queries.find(server.id)).toBeDefined())
})
