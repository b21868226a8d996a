import type { GameQuery, QueryType } from '@innkeeper/contract/definitions/query'
import type { ListenAddress } from '@innkeeper/contract/http/listen-address'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { GameStatus, PlayerCounts } from '@innkeeper/contract/servers/players'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import type { Logger } from 'pino'
import { Semaphore } from '../concurrency/semaphore.ts'
import { findLocalHost } from '../network/local-host.ts'
import { toGameStatus } from './game-status.ts'
import { GamedigThread } from './gamedig/gamedig-thread.ts'
import { readBedrock } from './protocols/bedrock.ts'
import { readMinecraft } from './protocols/minecraft.ts'
import { readMumble } from './protocols/mumble.ts'
import { readOpenTtd } from './protocols/openttd.ts'
import type { ReadGame } from './protocols/protocol.ts'
import { readQuake3 } from './protocols/quake3.ts'
import { readSource } from './protocols/source.ts'
import { readTeeworlds } from './protocols/teeworlds.ts'

const readers: Readonly<Record<Exclude<QueryType, 'gamedig'>, ReadGame>> = {
  minecraft: readMinecraft,
  'minecraft-bedrock': readBedrock,
  source: readSource,
  quake3: readQuake3,
  openttd: readOpenTtd,
  mumble: readMumble,
  teeworlds: readTeeworlds,
}

/** A server whose game may be asked. */
export interface QueriedServer {
  readonly id: string
  readonly status: Pick<ServerStatus, 'state' | 'sleeping'>
  readonly address: ListenAddress
  /** Undefined when the game cannot be asked. */
  readonly gameQuery: GameQuery | undefined
  /** Sets what is reported of the players; undefined when the game does not answer. */
  setPlayers(players: PlayerCounts | undefined): void
}

interface Deps {
  readonly servers: {
    readonly servers: readonly QueriedServer[]
    onChange(listener: () => void): () => void
  }
  readonly log: Logger
  /** Shortest interval between two queries of a game while somebody looks. */
  readonly everyMs?: number | undefined
  /** The same while nobody looks. */
  readonly idleEveryMs?: number | undefined
  /** Timeout of a query. */
  readonly timeoutMs?: number | undefined
  /** Interval at which games are asked that are due. */
  readonly tickMs?: number | undefined
}

/** What is known of the game of a server while it is online. */
interface Known {
  /** By `performance.now()`. */
  askedAt: number
  /** Queries in a row without an answer. */
  failures: number
  status: GameStatus | undefined
}

/** `status` is undefined when the game did not answer, and when the server is not online any more. */
export type GameStatusListener = (id: string, status: GameStatus | undefined) => void

/** What a game has answered, or why not. */
export type QueryResult =
  | { readonly status: GameStatus; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: string }

/** How long a look counts. */
const lookMs = 60_000
const queriesAtOnce = 32
const defaultTimeoutMs = 2_000
/** How long an answer is as good as a new one. */
const freshMs = 3_000
/** The games that are due are asked in this many ticks, so that they are not all asked at once. */
const spreadTicks = 5
/** From then on a game that does not answer is asked half as often with each query, down to a sixteenth. */
const failuresBeforeBackoff = 3
const maxBackoffSteps = 4

/**
 * Asks the games of this node for their status: while somebody looks at players every 10 seconds, else every 30, and
 * those that do not answer more rarely.
 */
export class GameQueries {
  readonly #deps: Deps
  readonly #known = new Map<string, Known>()
  readonly #listeners = new Set<GameStatusListener>()
  readonly #semaphore = new Semaphore(queriesAtOnce, { perKey: 1, sharedMs: defaultTimeoutMs })
  readonly #closing = new AbortController()
  readonly #asking = new Map<string, Promise<QueryResult>>()
  readonly #gamedig = new GamedigThread()
  readonly #job: PeriodicJob
  readonly #stopWatching: () => void
  /** By `performance.now()`. */
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
    this.#stopWatching = deps.servers.onChange(() => this.#forgetOffline())
    this.#job = new PeriodicJob({
      everyMs: deps.tickMs ?? 1_000,
      run: async () => this.#askDue(),
      onError: (err) => deps.log.error({ err }, 'failed to ask games for their players'),
    }).start()
  }

  /** Somebody looks at players: for the next minute games are asked more often. */
  look(): void {
    this.#lookedAt = performance.now()
  }

  /** The latest answer of a game that still answers. */
  find(id: string): GameStatus | undefined {
    return this.#known.get(id)?.status
  }

  /**
   * Asks a game now, unless it has just answered: some answer only one query in a second. Returns undefined for a server whose
   * game cannot be asked.
   */
  async ask(server: QueriedServer, timeoutMs: number): Promise<QueryResult | undefined> {
    const current = await this.#asking.get(server.id)
    if (current?.status) return current
    const { status, askedAt = 0 } = this.#known.get(server.id) ?? {}
    if (status && performance.now() - askedAt < freshMs) return { status }
    return await (this.#asking.get(server.id) ?? this.#begin(server, timeoutMs))
  }

  /** Calls the listener after each query. Returns the unsubscribe function. */
  onStatus(listener: GameStatusListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends all queries. */
  async close(): Promise<void> {
    this.#stopWatching()
    this.#closing.abort()
    await this.#job.close()
    await Promise.all(this.#asking.values())
    this.#gamedig.close()
  }

  #askDue(): void {
    const now = performance.now()
    const { servers } = this.#deps.servers
    const askedAt = ({ id }: QueriedServer) => this.#known.get(id)?.askedAt ?? 0
    const due = servers.filter((server) => this.#isDue(server, now)).sort((a, b) => askedAt(a) - askedAt(b))
    for (const server of due.slice(0, Math.ceil(servers.length / spreadTicks))) void this.#begin(server)
  }

  #isDue({ id, status }: QueriedServer, now: number): boolean {
    if (this.#asking.has(id)) return false
    const known = this.#known.get(id)
    if (known) return now - known.askedAt >= this.#interval(known, now)
    return isAskable(status)
  }

  #interval({ failures }: Known, now: number): number {
    const { everyMs = 10_000, idleEveryMs = 30_000 } = this.#deps
    return (now - this.#lookedAt < lookMs ? everyMs : idleEveryMs) * getBackoff(failures)
  }

  #forgetOffline(): void {
    if (this.#known.size === 0) return
    const online = new Set(this.#deps.servers.servers.filter(({ status }) => isAskable(status)).map(({ id }) => id))
    for (const [id, { status }] of this.#known) {
      if (online.has(id)) continue
      this.#known.delete(id)
      if (status) this.#notify(id, undefined)
    }
  }

  #begin(
    server: QueriedServer,
    timeoutMs = this.#deps.timeoutMs ?? defaultTimeoutMs,
  ): Promise<QueryResult> | undefined {
    const known = this.#known.get(server.id) ?? { askedAt: 0, failures: 0, status: undefined }
    known.askedAt = performance.now()
    this.#known.set(server.id, known)
    const query = server.gameQuery
    if (!query) {
      // Considered again when it would be due: definitions change.
      this.#store(server, known, undefined, 0)
      return undefined
    }
    const asking = this.#ask(server, query, timeoutMs)
      .then(
        (status) => ({ status }),
        (err: unknown) => {
          // Many games do not answer while they load, or have queries turned off.
          this.#deps.log.debug({ err, server: server.id }, 'the game does not answer')
          return { error: err instanceof Error ? err.message : String(err) }
        },
      )
      .then((result: QueryResult) => {
        this.#asking.delete(server.id)
        const { status } = result
        if (!this.#closing.signal.aborted) this.#store(server, known, status, status ? 0 : known.failures + 1)
        return result
      })
    this.#asking.set(server.id, asking)
    return asking
  }

  #store(server: QueriedServer, known: Known, status: GameStatus | undefined, failures: number): void {
    // It is not online any more, or was restarted meanwhile.
    if (this.#known.get(server.id) !== known) return
    const hadStatus = known.status !== undefined
    known.status = status
    known.failures = failures
    server.setPlayers(status && toCounts(status))
    if (status || hadStatus || failures > 0) this.#notify(server.id, status)
  }

  async #ask(
    { id, address }: QueriedServer,
    { type, port, listPort, game = '' }: GameQuery,
    timeoutMs: number,
  ): Promise<GameStatus> {
    const host = findLocalHost(address.ip)
    if (host === undefined) throw new Error('the address is not one of this machine')
    return await this.#semaphore.run(
      async () => {
        const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)])
        const startedAt = performance.now()
        const target = { host, port, listPort, signal }
        const answer = await (type === 'gamedig' ? this.#gamedig.read(game, target, timeoutMs) : readers[type](target))
        return toGameStatus(answer, performance.now() - startedAt)
      },
      { key: id, signal: this.#closing.signal },
    )
  }

  #notify(id: string, status: GameStatus | undefined): void {
    for (const listener of this.#listeners) listener(id, status)
  }
}

/** The game of a server that sleeps would not answer. */
const isAskable = ({ state, sleeping }: QueriedServer['status']): boolean => state === 'online' && !sleeping

/** How many times longer the interval is after failures in a row. */
export function getBackoff(failures: number): number {
  return 2 ** Math.min(maxBackoffSteps, Math.max(0, failures - failuresBeforeBackoff))
}

function toCounts({ players: { online, max, bots } }: GameStatus): PlayerCounts {
  return { online, max, ...(bots !== undefined && { bots }) }
}
