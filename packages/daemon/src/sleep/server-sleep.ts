import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import type { GameQueries } from '../players/game-queries.ts'
import type { Server } from '../servers/server.ts'
import { PortRedirects } from './port-redirects.ts'
import { Sleeper } from './sleeper.ts'

export interface SleepOptions {
  /** Interval of checks whether servers fall asleep. */
  readonly everyMs?: number | undefined
  /** Length of a minute in definitions, in milliseconds, for tests. */
  readonly minuteMs?: number | undefined
  /** Whether servers may be frozen; otherwise they are stopped. */
  readonly mayFreeze?: boolean | undefined
}

interface Deps extends SleepOptions {
  readonly dataDir: string
  readonly servers: {
    readonly servers: readonly Server[]
    onAdded(listener: (server: Server) => void): void
  }
  readonly games: Pick<GameQueries, 'find'>
  readonly log: Logger
}

/** Lets the servers of this node sleep while nobody plays, and wakes them. */
export class ServerSleep {
  readonly #deps: Deps
  readonly #redirects: PortRedirects | undefined
  readonly #sleepers = new Map<Server, Sleeper>()
  readonly #job: PeriodicJob

  private constructor(deps: Deps, redirects: PortRedirects | undefined) {
    this.#deps = deps
    this.#redirects = redirects
    for (const server of deps.servers.servers) this.#add(server)
    deps.servers.onAdded((server) => this.#add(server))
    this.#job = new PeriodicJob({
      everyMs: deps.everyMs ?? 5_000,
      run: () => this.#checkAll(),
      onError: (err) => deps.log.error({ err }, 'failed to check whether servers fall asleep'),
    }).start()
  }

  /** Ends the redirects of an earlier daemon. Servers that it has stopped sleep on. */
  static async open(deps: Deps): Promise<ServerSleep> {
    const redirects = deps.mayFreeze === false ? undefined : await PortRedirects.open(deps.dataDir, deps.log)
    return new ServerSleep(deps, redirects)
  }

  /** Frozen servers wake. */
  async close(): Promise<void> {
    await this.#job.close()
    await Promise.all([...this.#sleepers.values()].map((sleeper) => sleeper.close()))
  }

  #add(server: Server): void {
    const { games, log, minuteMs = 60_000 } = this.#deps
    const sleeper = new Sleeper(server, { games, redirects: this.#redirects, log, minuteMs })
    this.#sleepers.set(server, sleeper)
    server.onRemoved(() => {
      this.#sleepers.delete(server)
      void sleeper.close().catch((err: unknown) => log.error({ err }, 'failed to end the sleep of a server'))
    })
    void sleeper.resume().catch((err: unknown) => log.error({ err, server: server.id }, 'failed to listen for players'))
  }

  async #checkAll(): Promise<void> {
    await Promise.all(
      [...this.#sleepers].map(async ([server, sleeper]) => {
        await sleeper
          .check()
          .catch((err: unknown) => this.#deps.log.error({ err, server: server.id }, 'failed to let a server sleep'))
      }),
    )
  }
}
