import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { z } from 'zod'
import { getCode } from '../../errors/error-code.ts'
import type { UsageMonitor } from '../../processes/run.ts'

const count = z.number().catch(0)

/** The part of the engine's stats that is used; counters since the container began. */
const EngineStats = z.looseObject({
  cpu_stats: z.looseObject({ cpu_usage: z.looseObject({ total_usage: count }) }),
  memory_stats: z
    .looseObject({ usage: count, stats: z.record(z.string(), z.number()).nullish().catch(undefined) })
    .nullish(),
  networks: z.record(z.string(), z.looseObject({ rx_bytes: count, tx_bytes: count })).nullish(),
  blkio_stats: z
    .looseObject({
      io_service_bytes_recursive: z
        .array(z.looseObject({ op: z.string(), value: z.number() }))
        .nullish()
        .catch(undefined),
    })
    .nullish(),
})

interface Totals {
  readonly cpuMs: number
  readonly memory: number
  readonly diskRead?: number
  readonly diskWrite?: number
  readonly networkIn?: number
  readonly networkOut?: number
}

/** Parses the engine's stats. The page cache does not count as memory of the server. */
export function parseTotals(input: unknown): Totals | undefined {
  const { data } = EngineStats.safeParse(input)
  if (!data) return undefined
  const { usage = 0, stats } = data.memory_stats ?? {}
  // A container in the host's network has no counters of its own; some engines report an empty list.
  const networks = data.networks && Object.keys(data.networks).length > 0 ? Object.values(data.networks) : undefined
  const disk = data.blkio_stats?.io_service_bytes_recursive
  const getDisk = (operation: string) =>
    disk?.reduce((sum, { op, value }) => (op.toLowerCase() === operation ? sum + value : sum), 0) ?? 0
  return {
    cpuMs: data.cpu_stats.cpu_usage.total_usage / 1_000_000,
    memory: Math.max(0, usage - cacheIn(stats ?? {})),
    ...(disk && { diskRead: getDisk('read'), diskWrite: getDisk('write') }),
    ...(networks && {
      networkIn: networks.reduce((sum, { rx_bytes }) => sum + rx_bytes, 0),
      networkOut: networks.reduce((sum, { tx_bytes }) => sum + tx_bytes, 0),
    }),
  }
}

/**
 * The memory of the control group of a process, which the stats of Podman do not divide; undefined when the process has
 * ended or the engine runs elsewhere.
 */
export async function readMemoryStats(pid: number): Promise<{ memory_stats: object } | undefined> {
  if (pid <= 0) return undefined
  try {
    const lines = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).split('\n').map((line) => line.split(':'))
    const ofMemory = lines.find(([, controllers = '']) => controllers.split(',').includes('memory'))
    const group = ofMemory
      ? join('/sys/fs/cgroup/memory', ofMemory.slice(2).join(':'))
      : join(
          '/sys/fs/cgroup',
          lines
            .find(([number]) => number === '0')
            ?.slice(2)
            .join(':') ?? '',
        )
    const usageFile = ofMemory ? 'memory.usage_in_bytes' : 'memory.current'
    const [usage, text] = await Promise.all(
      [usageFile, 'memory.stat'].map((file) => readFile(join(group, file), 'utf8')),
    )
    const stats = (text ?? '')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    return {
      memory_stats: {
        usage: Number(usage),
        stats: Object.fromEntries(stats.map(([name = '', value]) => [name, Number(value)])),
      },
    }
  } catch (cause) {
    if (['ENOENT', 'ESRCH', 'ENODEV', 'EACCES'].includes(getCode(cause) ?? '')) return undefined
    throw cause
  }
}

/** The page cache in the memory of a control group, without files that programs have mapped or share. */
function cacheIn(stats: Readonly<Record<string, number>>): number {
  const figure = (name: string) => stats[`total_${name}`] ?? stats[name]
  const file = figure('cache') ?? figure('file') ?? 0
  const used = (figure('mapped_file') ?? figure('file_mapped') ?? 0) + (figure('shmem') ?? 0)
  return Math.max(figure('inactive_file') ?? 0, file - used)
}

/** Usage between two samples. */
export function usageBetween(before: Totals, now: Totals, ms: number): ServerStats {
  const rate = (figure: 'diskRead' | 'diskWrite' | 'networkIn' | 'networkOut') => {
    const [first, last] = [before[figure], now[figure]]
    return first === undefined || last === undefined
      ? {}
      : { [figure]: Math.max(0, Math.round(((last - first) * 1000) / ms)) }
  }
  return {
    cpu: Math.max(0, Math.round(((now.cpuMs - before.cpuMs) / ms) * 10_000) / 100),
    memory: now.memory,
    ...rate('diskRead'),
    ...rate('diskWrite'),
    ...rate('networkIn'),
    ...rate('networkOut'),
  }
}

/** Larger than any stats line. */
const maxTextBytes = 1024 * 1024

/** Parses the engine's stats stream, one JSON object per line. Throws on invalid stats. */
export async function* parseStatsStream(stream: AsyncIterable<Buffer>): AsyncGenerator<object> {
  let text = ''
  for await (const part of stream) {
    // The relevant content is ASCII; a character that is split does no harm.
    const lines = (text + part.toString('latin1')).split('\n')
    text = lines.pop() ?? ''
    if (text.length > maxTextBytes) throw new Error("the engine's stats line is too long")
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
}

/** Samples this much early still belong to the interval: engines are not exact to the millisecond. */
const earlyToleranceMs = 500

const nothing: ServerStats = { cpu: 0, memory: 0 }

/**
 * Follows the stats of a container until stopped. The second sample is used at once, so that zeros are not shown for
 * long; then one per interval. Reopens a stream that breaks.
 */
export function measure(
  open: (signal: AbortSignal) => AsyncIterable<object>,
  onMeasured: (stats: ServerStats) => void,
): UsageMonitor {
  const stopping = new AbortController()
  const { signal } = stopping
  let latest = nothing

  const follow = async () => {
    let before: { readonly totals: Totals; readonly at: number } | undefined
    let isFirst = true
    for await (const input of open(signal)) {
      const totals = parseTotals(input)
      const at = performance.now()
      if (signal.aborted) return
      if (!totals) latest = nothing
      else if (before && (isFirst || at - before.at >= limits.statsEveryMs - earlyToleranceMs)) {
        latest = usageBetween(before.totals, totals, at - before.at)
        onMeasured(latest)
        isFirst = false
      } else if (before) continue
      before = totals && { totals, at }
    }
  }
  const followStream = async () => {
    while (!signal.aborted) {
      await follow().catch(() => {
        // The engine is unavailable, or the container has exited: the run reports that.
      })
      latest = nothing
      await setTimeout(limits.statsEveryMs, undefined, { signal }).catch(() => {
        // Stopped meanwhile.
      })
    }
  }
  void followStream()
  return {
    latest: () => latest,
    stop() {
      stopping.abort()
      latest = nothing
    },
  }
}
