import { isDeepStrictEqual } from 'node:util'
import type { Liveness } from '@innkeeper/contract/definitions/liveness'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { NotResponding, ServerStatus } from '@innkeeper/contract/servers/status'
import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { GameQueries } from '../players/game-queries.ts'
import type { LivenessState } from './rules.ts'
import { type CheckedServer, WatchedServer } from './watched-server.ts'

/** A server with its definition. */
export interface LivenessServer extends CheckedServer {
  readonly console: Pick<Console, 'listen' | 'say'>
  readonly definition: { onChange(listener: () => void): void }
  readonly liveness: Liveness | undefined
  setNotResponding(run: { readonly id: string }, notResponding: NotResponding | undefined): void
  onStatus(listener: (status: ServerStatus) => void): () => void
  onRemoved(listener: () => void): () => void
}

interface Deps {
  readonly servers: {
    readonly servers: readonly LivenessServer[]
    onAdded(listener: (server: LivenessServer) => void): void
  }
  readonly games: Pick<GameQueries, 'ask'>
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
  readonly log: Logger
  /** Length of a second in definitions, in milliseconds. */
  readonly secondMs?: number | undefined
}

/** Checks whether the servers of this node respond that are online, as their definitions say. */
export class LivenessChecks {
  readonly #deps: Deps & { readonly secondMs: number }
  /** Servers that are online. */
  readonly #watched = new Map<LivenessServer, WatchedServer>()
  readonly #checking = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  readonly #job: PeriodicJob

  constructor(deps: Deps) {
    const { secondMs = 1_000 } = deps
    this.#deps = { ...deps, secondMs }
    for (const server of deps.servers.servers) this.#add(server)
    deps.servers.onAdded((server) => this.#add(server))
    this.#job = new PeriodicJob({
      everyMs: secondMs,
      run: async () => this.#checkDue(),
      onError: (err) => deps.log.error({ err }, 'failed to check whether servers respond'),
    }).start()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#job.close()
    await Promise.all(this.#checking)
    for (const watched of this.#watched.values()) watched[Symbol.dispose]()
    this.#watched.clear()
  }

  #add(server: LivenessServer): void {
    server.onStatus(() => this.#update(server))
    server.definition.onChange(() => this.#update(server))
    server.onRemoved(() => this.#forget(server))
    this.#update(server)
  }

  /** Begins or ends to watch a server after a change of its status or definition. */
  #update(server: LivenessServer): void {
    if (this.#closing.signal.aborted) return
    const run = server.status.state === 'online' ? server.run?.id : undefined
    const settings = run === undefined ? undefined : server.liveness
    const known = this.#watched.get(server)
    if (known && known.run === run && isDeepStrictEqual(known.settings, settings)) return
    this.#forget(server)
    if (run !== undefined && settings)
      this.#watched.set(server, new WatchedServer(server, { run, settings }, this.#deps))
    else if (run !== undefined && server.status.notResponding) server.setNotResponding({ id: run }, undefined)
  }

  #forget(server: LivenessServer): void {
    this.#watched.get(server)?.[Symbol.dispose]()
    this.#watched.delete(server)
  }

  #checkDue(): void {
    const now = performance.now()
    for (const [server, watched] of this.#watched) {
      if (!watched.isDue(now)) continue
      const checking = this.#check(server, watched)
        .catch((err: unknown) => {
          if (!this.#closing.signal.aborted) this.#deps.log.warn({ err, server: server.id }, 'failed to check a server')
        })
        .finally(() => this.#checking.delete(checking))
      this.#checking.add(checking)
    }
  }

  async #check(server: LivenessServer, watched: WatchedServer): Promise<void> {
    const { isNotResponding: before } = watched
    await watched.check(this.#closing.signal)
    // It has ended meanwhile, or its definition has changed.
    if (this.#watched.get(server) !== watched || watched.isNotResponding === before) return
    const { failing } = watched.state
    if (failing) this.#onNotResponding(server, watched, failing)
    else this.#onResponding(server, watched)
  }

  #onNotResponding(
    server: LivenessServer,
    { run }: WatchedServer,
    { since, type, detail }: NonNullable<LivenessState['failing']>,
  ): void {
    server.console.say(`Server does not respond. ${detail}`)
    server.setNotResponding({ id: run }, { since: new Date(since).toISOString(), reason: type })
  }

  #onResponding(server: LivenessServer, { run }: WatchedServer): void {
    server.console.say('Server responds again')
    server.setNotResponding({ id: run }, undefined)
  }
}
