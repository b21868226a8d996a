import { Liveness } from '@innkeeper/contract/definitions/liveness'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { expect, test } from 'vitest'
import type { QueryResult } from '../players/game-queries.ts'
import { type CheckedServer, WatchedServer } from './watched-server.ts'

const answered: QueryResult = { status: { players: { online: 0, max: 8 }, answeredMs: 1 } }

class FakeServer implements CheckedServer {
  readonly id = '0a0a0a0a'
  readonly address = { ip: '127.0.0.1', port: 1 }
  gameQuery: CheckedServer['gameQuery'] = { type: 'source', port: 1 }
  readonly console = { listen: () => () => {} }
  status: CheckedServer['status'] & Pick<ServerStatus, 'state'> = { state: 'online' }
  run: CheckedServer['run'] = { id: 'run', hasConsole: true }
  frozenAt = Number.NEGATIVE_INFINITY
  passedChecks: readonly string[] = []
  readonly #listeners = new Set<(command: string) => void>()

  setPlayers(): void {}
  setPassedChecks(_: { id: string }, checks: readonly string[]): void {
    this.passedChecks = checks
  }
  onCommand(listener: (command: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  send(command: string): void {
    for (const listener of this.#listeners) listener(command)
  }
}

/** Checks a server that has answered once. Returns the failures in a row after a query that was not answered. */
async function failuresAfter(duringQuery: (server: FakeServer) => void, beforeQuery: typeof duringQuery = () => {}) {
  const server = new FakeServer()
  let ask = async (): Promise<QueryResult> => answered
  const patterns = { watch: () => {}, push: () => {} }
  const settings = Liveness.parse({ checks: [{ type: 'query' }], saving: { command: 'save-all', seconds: 60 } })
  using watched = new WatchedServer(
    server,
    { run: 'run', settings },
    { games: { ask: () => ask() }, patterns, secondMs: 1_000 },
  )
  const { signal } = new AbortController()
  await watched.check(signal)
  beforeQuery(server)
  ask = async () => {
    duringQuery(server)
    return { error: 'no answer' }
  }
  await watched.check(signal)
  return watched.state.failures
}

test('a query without an answer is a failure', async () => {
  expect(await failuresAfter(() => {})).toBe(1)
})

test.for<[string, (server: FakeServer) => void]>([
  ['was frozen', (server) => Object.assign(server, { frozenAt: performance.now() })],
  ['began to stop', (server) => Object.assign(server, { status: { state: 'stopping' } })],
  [
    'may have ended, which is unknown',
    (server) => Object.assign(server, { status: { state: 'online', isInDoubt: true } }),
  ],
  ['was replaced by another process', (server) => Object.assign(server, { run: { id: 'next', hasConsole: true } })],
  ['began to save', (server) => server.send('save-all flush')],
])('it is none when the server %s meanwhile', async ([, change]) => {
  expect(await failuresAfter(change)).toBe(0)
})

test.for<[string, string, number]>([
  ['while a save takes', 'save-all', 0],
  ['after another command', 'save-allowed', 1],
])('it is none %s', async ([, command, failures]) => {
  expect(
    await failuresAfter(
      () => {},
      (server) => server.send(command),
    ),
  ).toBe(failures)
})

test('a server that did not respond before a restart of the daemon still does not, until it answers', async () => {
  const server = new FakeServer()
  server.status = { state: 'online', notResponding: { since: '2026-01-01T00:00:00.000Z', reason: 'query' } }
  let result: QueryResult = { error: 'no answer' }
  using watched = new WatchedServer(
    server,
    { run: 'run', settings: Liveness.parse({ checks: [{ type: 'query' }] }) },
    { games: { ask: async () => result }, patterns: { watch: () => {}, push: () => {} }, secondMs: 1_000 },
  )
  const { signal } = new AbortController()

  await watched.check(signal)
  const before = [watched.isNotResponding, watched.state.failing?.since]
  result = answered
  await watched.check(signal)

  expect(before).toEqual([true, Date.parse('2026-01-01T00:00:00.000Z')])
  expect(watched.isNotResponding).toBe(false)
})

test.for<[string, number, number]>([
  ['can fail after a restart of the daemon', 1, 1],
  ['must succeed first when it asks another port', 2, 0],
])('a query that has succeeded %s', async ([, port, failures]) => {
  const server = new FakeServer()
  const settings = Liveness.parse({ checks: [{ type: 'query' }] })
  const patterns = { watch: () => {}, push: () => {} }
  const watch = (result: QueryResult) =>
    new WatchedServer(
      server,
      { run: 'run', settings },
      { games: { ask: async () => result }, patterns, secondMs: 1_000 },
    )
  const { signal } = new AbortController()
  using earlier = watch(answered)
  await earlier.check(signal)

  server.gameQuery = { type: 'source', port }
  using later = watch({ error: 'no answer' })
  await later.check(signal)

  expect(later.state.failures).toBe(failures)
  expect(earlier.isFor('run', settings)).toBe(port === 1)
})
