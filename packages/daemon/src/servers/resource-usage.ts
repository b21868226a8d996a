import { availableParallelism, totalmem } from 'node:os'
import type { ServerLimits } from '@innkeeper/contract/definitions/definition'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import type { Run, UsageMonitor } from '../processes/run.ts'
import type { StatsHistory } from '../statistics/history.ts'
import type { Sampler } from '../statistics/sampler.ts'

/** Memory and CPU of this host. Reading them for each of 1,000 servers would take 30 ms for each report and scrape. */
const host = { memory: totalmem(), cpu: availableParallelism() * 100 }

interface Deps {
  readonly sampler: Sampler
  readonly statsHistory: StatsHistory
  /** How many people play, as far as the game tells. */
  readonly players: () => number | undefined
  readonly limits: () => Pick<ServerLimits, 'memory' | 'cpu'> | undefined
}

/** Measures the resource usage of a server while it runs. */
export class ResourceUsage {
  readonly #deps: Deps
  #monitor: UsageMonitor | undefined
  #sleepTimer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The latest values; zero before the first measurement. */
  get latest(): ServerStats {
    return this.#monitor?.latest() ?? { cpu: 0, memory: 0 }
  }

  /** Memory limit in bytes, or the host's memory. */
  get memoryMax(): number {
    return Math.min((this.#deps.limits()?.memory ?? Number.POSITIVE_INFINITY) * 1024 ** 2, host.memory)
  }

  /** CPU limit in percent of one core, or the host's capacity. */
  get cpuMax(): number {
    return Math.min(this.#deps.limits()?.cpu ?? Number.POSITIVE_INFINITY, host.cpu)
  }

  /** Begins to measure a run, unless one is being measured. */
  start(run: Run): void {
    if (this.#monitor) return
    const { statsHistory, players } = this.#deps
    const keep = (stats: ServerStats) => statsHistory.add({ ...stats, players: players() })
    this.#monitor =
      run.measure?.(keep) ?? this.#deps.sampler.watch(run.key, run.process, keep, () => run.members?.() ?? [])
  }

  stop(): void {
    this.#monitor?.stop()
    this.#monitor = undefined
  }

  /** Records that a server which was stopped for its sleep uses nothing, and that nobody plays. */
  setSleeping(isSleeping: boolean): void {
    if (isSleeping === (this.#sleepTimer !== undefined)) return
    clearInterval(this.#sleepTimer)
    const record = () => this.#deps.statsHistory.add({ cpu: 0, memory: 0, players: 0 })
    this.#sleepTimer = isSleeping ? setInterval(record, limits.statsEveryMs).unref() : undefined
  }
}
