import { limits } from '@innkeeper/contract/limits'
import type { ServerStats } from '@innkeeper/contract/status'
import { z } from 'zod'
import type { Measuring } from '../run.ts'

const count = z.number().catch(0)

/** What we read of the engine's figures; they are totals since the container began. */
const Figures = z.looseObject({
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

/** Reads the engine's figures. What the kernel only caches of files is no memory of the server. */
export function totalsOf(given: unknown): Totals | undefined {
  const { data } = Figures.safeParse(given)
  if (!data) return undefined
  const { usage = 0, stats } = data.memory_stats ?? {}
  const cached = stats?.total_inactive_file ?? stats?.inactive_file ?? 0
  // One on its node's network has none of its own; some engines say so with an empty list.
  const networks = data.networks && Object.keys(data.networks).length > 0 ? Object.values(data.networks) : undefined
  const disk = data.blkio_stats?.io_service_bytes_recursive
  const diskOf = (wanted: string) =>
    disk?.reduce((sum, { op, value }) => (op.toLowerCase() === wanted ? sum + value : sum), 0) ?? 0
  return {
    cpuMs: data.cpu_stats.cpu_usage.total_usage / 1_000_000,
    memory: Math.max(0, usage - cached),
    ...(disk && { diskRead: diskOf('read'), diskWrite: diskOf('write') }),
    ...(networks && {
      networkIn: networks.reduce((sum, { rx_bytes }) => sum + rx_bytes, 0),
      networkOut: networks.reduce((sum, { tx_bytes }) => sum + tx_bytes, 0),
    }),
  }
}

/** What was used between two looks. */
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

/** The first figures come soon, so that nobody looks at zeros. */
const firstMs = 500

/** Asks again and again what a container uses, until it is stopped. `ask` gives `undefined` when nobody knows. */
export function measure(ask: () => Promise<unknown>, onMeasured: (stats: ServerStats) => void): Measuring {
  let latest: ServerStats = { cpu: 0, memory: 0 }
  let before: { readonly totals: Totals; readonly at: number } | undefined
  let isOver = false
  let timer: NodeJS.Timeout | undefined

  const look = async () => {
    const totals = totalsOf(await ask())
    if (isOver) return
    const at = performance.now()
    if (totals && before) {
      latest = usageBetween(before.totals, totals, at - before.at)
      onMeasured(latest)
    } else if (!totals) latest = { cpu: 0, memory: 0 }
    const isFirst = before === undefined
    before = totals && { totals, at }
    timer = setTimeout(() => void look(), isFirst ? firstMs : limits.statsEveryMs)
  }
  void look()
  return {
    latest: () => latest,
    stop() {
      isOver = true
      clearTimeout(timer)
      latest = { cpu: 0, memory: 0 }
    },
  }
}
