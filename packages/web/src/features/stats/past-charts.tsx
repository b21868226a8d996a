import { getStatsHistory, type StatsRange } from '@innkeeper/contract/stats-history'
import { Skeleton } from '@mantine/core'
import { useMemo } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import {
  inUnit,
  leastCpu,
  leastMemory,
  type MemoryUnit,
  type PastValues,
  pastLine,
  pastMarks,
  type Scale,
  scaleFor,
  thinned,
} from './scale.ts'
import classes from './stats.module.css'
import { type StatsChart, StatsCharts } from './stats-charts.tsx'
import { leastTraffic, trafficFigures, trafficTexts, unmeasuredIn } from './traffic.ts'

interface PastChartsProps {
  readonly server: string
  readonly range: StatsRange
  readonly unit: MemoryUnit
  readonly height: number
  readonly asTable: boolean
}

/** How often a range that ends now is asked for again: there is nothing new earlier. */
const refreshMs = { hour: 15_000, day: 60_000, month: 600_000, year: 600_000 } as const

/** What a server used over a range of the past. */
export function PastCharts({ server, range, unit, height, asTable }: PastChartsProps) {
  const t = useT()
  const { number, percent, dateTime, shortTime, shortDate } = useFormatters()
  const { data, error, refetch } = useApiQuery(
    getStatsHistory,
    { params: { id: server }, query: { range } },
    { refetchInterval: refreshMs[range] },
  )

  const charts = useMemo((): readonly StatsChart[] => {
    if (!data) return []
    const { fromMs: from, stepMs } = data
    const to = from + (data.cpu.length - 1) * stepMs
    const marks = pastMarks(from, to, range === 'hour' || range === 'day' ? shortTime : shortDate)
    const chart = (
      kind: StatsChart['kind'],
      of: Pick<PastValues, 'values' | 'peaks'>,
      least: number,
      textsFor: (scale: Scale) => Pick<StatsChart, 'tick' | 'format'>,
    ): StatsChart => {
      const past = thinned({ from, stepMs, ...of })
      const known = past.values.filter((value) => value !== null)
      const peaks = past.peaks.filter((value) => value !== null)
      const scale = scaleFor(peaks, least)
      return {
        kind,
        line: pastLine(past, scale.upper),
        scale,
        marks,
        timeOf: dateTime,
        ...textsFor(scale),
        figures: {
          Average: known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length,
          Peak: Math.max(0, ...peaks),
        },
      }
    }
    const memoryOf = (values: readonly (number | null)[]) =>
      values.map((value) => (value === null ? null : inUnit(value, unit)))
    return [
      chart('cpu', { values: data.cpu, peaks: data.cpuPeak }, leastCpu, () => ({
        format: (value) => percent(value, 2),
        tick: (value) => percent(value),
      })),
      chart('memory', { values: memoryOf(data.memory), peaks: memoryOf(data.memoryPeak) }, leastMemory[unit], () => ({
        format: (value) => `${number(value, 2)} ${unit}`,
        tick: (value) => number(value),
      })),
      ...trafficFigures
        .filter((figure) => isKnown(data[figure]))
        .map((figure) => {
          const values = memoryOf(data[figure] ?? [])
          return chart(figure, { values, peaks: values }, leastTraffic, (scale) =>
            trafficTexts(unit, scale, { number }),
          )
        }),
    ]
  }, [data, range, unit, number, percent, dateTime, shortTime, shortDate])

  if (error && !data) {
    return <QueryError title={t('server.StatsLoadFailed')} error={error} retry={() => void refetch()} />
  }
  if (!data) return <Skeleton height={2 * height + 120} />
  if (charts.every(({ line }) => line.readings.length === 0)) {
    return (
      <p className={classes.blank} style={{ blockSize: height }}>
        {t('server.StatsNothing')}
      </p>
    )
  }
  const unmeasured = unmeasuredIn((figure) => isKnown(data[figure]))
  return <StatsCharts charts={charts} height={height} asTable={asTable} unmeasured={unmeasured} />
}

function isKnown(values: readonly (number | null)[] | undefined): boolean {
  return values?.some((value) => value !== null) ?? false
}
