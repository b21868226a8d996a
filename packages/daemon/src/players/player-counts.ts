import { networkInterfaces } from 'node:os'
import type { QueryType } from '@innkeeper/contract/definitions/query'
import type { ListenAddress } from '@innkeeper/contract/http/listen-address'
import type { Logger } from 'pino'
import { Semaphore } from '../concurrency/semaphore.ts'
import { readMinecraftPlayers } from './minecraft-status.ts'
import type { Players, QueryTarget } from './players.ts'
import { readSourcePlayers } from './source-info.ts'

const readers: Readonly<Record<QueryType, (target: QueryTarget) => Promise<Players>>> = {
  minecraft: readMinecraftPlayers,
  source: readSourcePlayers,
}

/** A running game; undefined `queryType`: it cannot be asked. */
export interface Game {
  readonly id: string
  readonly isOnline: boolean
  readonly queryType: QueryType | undefined
  readonly address: ListenAddress
}

interface Options {
  readonly log: Logger
  /** Shortest interval between two queries of a game. */
  readonly everyMs?: number
  /** Timeout of a query. */
  readonly timeoutMs?: number
}

interface Known {
  readonly askedAt: number
  readonly players: Players | undefined
}

const queriesAtOnce = 8

/**
 * The players of the games of this node. Games are asked in the background and only while the counts are read: a
 * reader gets the last answers and never waits for a game.
 */
export class PlayerCounts {
  readonly #log: Logger
  readonly #everyMs: number
  readonly #timeoutMs: number
  readonly #semaphore = new Semaphore(queriesAtOnce, { perKey: 1 })
  readonly #closing = new AbortController()
  readonly #queries = new Map<string, Promise<void>>()
  #known: ReadonlyMap<string, Known> = new Map()

  constructor({ log, everyMs = 10_000, timeoutMs = 2_000 }: Options) {
    this.#log = log
    this.#everyMs = everyMs
    this.#timeoutMs = timeoutMs
  }

  /** Returns the last answers of these games, by their id, and asks those again that are due. Forgets all others. */
  latest(games: readonly Game[]): ReadonlyMap<string, Players> {
    const queried = games.filter(({ isOnline, queryType, address }) => isOnline && queryType && address.port > 0)
    const ids = new Set(queried.map(({ id }) => id))
    this.#known = new Map([...this.#known].filter(([id]) => ids.has(id)))
    for (const game of queried) {
      const isDue = performance.now() - (this.#known.get(game.id)?.askedAt ?? Number.NEGATIVE_INFINITY) >= this.#everyMs
      if (isDue && !this.#queries.has(game.id) && !this.#closing.signal.aborted) this.#begin(game)
    }
    return new Map([...this.#known].flatMap(([id, { players }]) => (players ? [[id, players]] : [])))
  }

  /** Ends all queries. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#queries.values())
  }

  #begin(game: Game): void {
    const query = this.#query(game)
      .catch((err: unknown) => {
        // Many games do not answer while they load, or have queries turned off.
        this.#log.debug({ err, server: game.id }, 'the game does not report its players')
        return undefined
      })
      .then((players) => {
        this.#queries.delete(game.id)
        this.#known = new Map([...this.#known, [game.id, { askedAt: performance.now(), players }]])
      })
    this.#queries.set(game.id, query)
  }

  async #query({ id, queryType, address }: Game): Promise<Players> {
    const host = findLocalHost(address.ip)
    if (!queryType || host === undefined) throw new Error('the address is not one of this machine')
    return await this.#semaphore.run(
      async () => {
        const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#timeoutMs)])
        return await readers[queryType]({ host, port: address.port, signal })
      },
      { key: id, signal: this.#closing.signal },
    )
  }
}

/** Only addresses of this machine: users may edit the address, and the daemon must not connect elsewhere for them. */
function findLocalHost(ip: string): string | undefined {
  if (ip === '::') return '::1'
  if (ip === '0.0.0.0' || ip === '{ip}' || ip === 'localhost') return '127.0.0.1'
  if (ip === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(ip)) return ip
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return own.some(({ address }) => address === ip) ? ip : undefined
}
