import type { ServerStats } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { kernelConstants, ticksBetween } from '../proc/cpu-ticks.ts'
import { type DiskTraffic, findDiskTraffic } from '../proc/disk-traffic.ts'
import type { ProcessId, ProcessStat } from '../proc/process-stat.ts'
import { getTree, type ProcessTable, readLiving, readProcessTable } from '../proc/process-table.ts'
import { StatFileCache } from '../proc/stat-file-cache.ts'
import type { UsageMonitor } from '../processes/run.ts'

/** Delay of a new server's first sample, so that zeros are not shown for long. */
const firstSampleMs = 500
/** CPU time has a resolution of 10 ms: shorter intervals would be noise. */
const minIntervalMs = 400

/** The last sample of a process tree. */
interface Watched {
  readonly process: ProcessId
  readonly members: () => readonly number[]
  readonly onMeasured: (stats: ServerStats) => void
  stats: ServerStats
  at: number
  ticks: ReadonlyMap<number, ProcessStat>
  disk: DiskTraffic | undefined
}

/** Samples all servers of the node with one timer; no timer while nothing is watched. */
export class Sampler {
  readonly #everyMs: number
  readonly #onError: (cause: unknown) => void
  readonly #watched = new Map<string, Watched>()
  readonly #descriptors = new StatFileCache()
  #timer: NodeJS.Timeout | undefined
  #nextAt = Number.POSITIVE_INFINITY

  /** `onError` is called for a failed sample, such as too many open files; sampling continues. */
  constructor({ onError, everyMs = limits.statsEveryMs }: { onError: (cause: unknown) => void; everyMs?: number }) {
    this.#onError = onError
    this.#everyMs = everyMs
  }

  /**
   * `onMeasured` is called each interval. `members` returns the processes of the server, or nothing when only its first
   * one is known: then the others are found by one pass over /proc.
   */
  watch(
    key: string,
    process: ProcessId,
    onMeasured: (stats: ServerStats) => void = () => {},
    members: () => readonly number[] = () => [],
  ): UsageMonitor {
    const stats = { cpu: 0, memory: 0 }
    const watched: Watched = { process, members, onMeasured, stats, at: 0, ticks: new Map(), disk: undefined }
    this.#watched.set(key, watched)
    // The first sample starts the first interval. It is deferred: 200 servers may be reattached at once.
    this.#scheduleIn(0)
    return {
      latest: () => watched.stats,
      stop: () => {
        watched.stats = { cpu: 0, memory: 0 }
        if (this.#watched.get(key) === watched) this.#watched.delete(key)
        if (this.#watched.size === 0) this.#sleep()
      },
    }
  }

  close(): void {
    this.#watched.clear()
    this.#sleep()
  }

  #scheduleIn(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#nextAt) return
    clearTimeout(this.#timer)
    this.#nextAt = at
    this.#timer = setTimeout(() => this.#sample(), ms)
  }

  #sleep(): void {
    clearTimeout(this.#timer)
    this.#nextAt = Number.POSITIVE_INFINITY
    this.#descriptors.closeAllBut(new Set())
  }

  #sample(): void {
    const plannedAt = this.#nextAt
    this.#nextAt = Number.POSITIVE_INFINITY
    let isNew = false
    try {
      isNew = this.#measureAll()
    } catch (error) {
      this.#onError(error)
    }
    // Delays do not add up: the number of measurements says how long a server ran.
    const untilNext = plannedAt + this.#everyMs - performance.now()
    this.#scheduleIn(isNew ? Math.min(firstSampleMs, this.#everyMs) : Math.max(this.#everyMs / 2, untilNext))
  }

  /** Returns whether one of them was sampled for the first time. */
  #measureAll(): boolean {
    const read = (pid: number) => this.#descriptors.read(pid)
    let table: ProcessTable | undefined
    const now = performance.now()
    const measured = new Set<number>()
    let isNew = false
    for (const watched of this.#watched.values()) {
      const members = watched.members()
      if (members.length === 0) table ??= readProcessTable(read)
      const tree = table && members.length === 0 ? getTree(watched.process, table) : readLiving(members, read)
      for (const pid of tree.keys()) measured.add(pid)
      isNew ||= watched.at === 0
      // A sample for a new server skips the others: their interval would be too short.
      if (watched.at === 0 || now - watched.at >= minIntervalMs) measure(watched, tree, now)
    }
    this.#descriptors.keep(measured)
    return isNew
  }
}

function measure(watched: Watched, tree: ReadonlyMap<number, ProcessStat>, now: number): void {
  const ticks = ticksBetween(watched.ticks, tree)
  const pages = [...tree.values()].reduce((sum, { residentPages }) => sum + residentPages, 0)
  const seconds = (now - watched.at) / 1000
  const isFirst = watched.at === 0
  const cpu = isFirst ? 0 : Math.round((ticks / kernelConstants.ticksPerSecond / seconds) * 10_000) / 100
  const disk = tree.size === 0 ? undefined : findDiskTraffic(tree.keys())
  watched.stats = { cpu, memory: pages * kernelConstants.pageBytes, ...getRates(watched.disk, disk, seconds) }
  watched.disk = disk
  watched.at = now
  watched.ticks = tree
  if (!isFirst) watched.onMeasured(watched.stats)
}

/** Disk rates; network counters are per host, not per server. */
function getRates(before: DiskTraffic | undefined, now: DiskTraffic | undefined, seconds: number) {
  if (!before || !now) return {}
  const rate = (figure: keyof DiskTraffic) => Math.max(0, Math.round((now[figure] - before[figure]) / seconds))
  return { diskRead: rate('read'), diskWrite: rate('written') }
}
