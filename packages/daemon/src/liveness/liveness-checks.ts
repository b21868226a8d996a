import type { Liveness } from '@innkeeper/contract/definitions/liveness'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { NodeEvent } from '@innkeeper/contract/node-link/node-events'
import type { NotResponding, ServerStatus } from '@innkeeper/contract/servers/status'
import type { Logger } from 'pino'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { GameQueries } from '../players/game-queries.ts'
import { collectEvidence, type ExaminedServer } from './evidence.ts'
import type { LivenessReports } from './liveness-reports.ts'
import { decideAction, maxRestarts, type RestartedServer, restartHungServer } from './restart.ts'
import { type CheckedServer, WatchedServer } from './watched-server.ts'

/** A server with its definition. */
export interface LivenessServer extends CheckedServer, ExaminedServer, RestartedServer {
  readonly run: (CheckedServer['run'] & ExaminedServer['run']) | undefined
  readonly console: CheckedServer['console'] & ExaminedServer['console'] & RestartedServer['console']
  readonly definition: { onChange(listener: () => void): void }
  readonly liveness: Liveness | undefined
  readonly livenessReports: Pick<LivenessReports, 'list' | 'add'>
  /** Whether its owner wants it to be restarted. */
  readonly isRestartedWhenNotResponding: boolean
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
  readonly events: { add(event: Pick<NodeEvent, 'type' | 'server' | 'detail'>): void }
  readonly log: Logger
  /** Length of a second in definitions, in milliseconds. */
  readonly secondMs?: number | undefined
}

/** Checks whether the servers of this node respond that are online, as their definitions say. */
export class LivenessChecks {
  readonly #deps: Deps & { readonly secondMs: number }
  /** Servers that are online. */
  readonly #watched = new Map<LivenessServer, WatchedServer>()
  readonly #checking = new Map<WatchedServer, Promise<void>>()
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
    await Promise.all(this.#checking.values())
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
    if (known?.isFor(run, settings)) return
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
      if (this.#checking.has(watched) || !watched.isDue(now)) continue
      const checking = this.#check(server, watched)
        .catch((err: unknown) => void this.#warn(server, err, 'failed to check whether a server responds'))
        .finally(() => this.#checking.delete(watched))
      this.#checking.set(watched, checking)
    }
  }

  async #check(server: LivenessServer, watched: WatchedServer): Promise<void> {
    const { isNotResponding: before } = watched
    await watched.check(this.#closing.signal)
    // It has ended meanwhile, or its definition has changed.
    if (this.#watched.get(server) !== watched || watched.isNotResponding === before) return
    if (!before) await this.#onNotResponding(server, watched)
    else {
      server.console.say('Server responds again')
      server.setNotResponding({ id: watched.run }, undefined)
    }
  }

  /** Saves the evidence before anything is done. */
  async #onNotResponding(server: LivenessServer, watched: WatchedServer): Promise<void> {
    const { failing } = watched.state
    if (!failing) return
    const evidence = await collectEvidence(server, this.#closing.signal)
    if (this.#watched.get(server) !== watched) return
    const now = Date.now()
    const reported = { since: new Date(failing.since).toISOString(), reason: failing.type }
    const action = decideAction(server.isRestartedWhenNotResponding, await server.livenessReports.list(), now)
    const isSaved = await server.livenessReports
      .add({
        id: String(now),
        at: new Date(now).toISOString(),
        ...reported,
        action,
        checks: watched.results,
        ...evidence,
      })
      .then(
        () => true,
        (err: unknown) => this.#warn(server, err, 'failed to save the report about a server that does not respond'),
      )
    server.console.say(`Server does not respond. ${failing.detail}`)
    server.setNotResponding({ id: watched.run }, reported)
    this.#deps.events.add({ type: 'serverNotResponding', server: server.id, detail: failing.detail })
    if (action === 'limit')
      server.console.say(`Server is not restarted: it was restarted ${maxRestarts} times in the last hour`)
    else if (action === 'restart' && !isSaved)
      server.console.say('Server is not restarted: the report about it could not be saved')
    else if (action === 'restart') this.#restart(server)
  }

  #restart(server: LivenessServer): void {
    server.console.say('Server is restarted because it does not respond')
    // It may take as long as a stop.
    restartHungServer(server).catch((err: unknown) => void this.#warn(server, err, 'failed to restart a server'))
  }

  #warn({ id }: LivenessServer, err: unknown, message: string): false {
    if (!this.#closing.signal.aborted) this.#deps.log.warn({ err, server: id }, message)
    return false
  }
}
