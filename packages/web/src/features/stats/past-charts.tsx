import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { getStatsHistory, type StatsRange } from '@innkeeper/contract/servers/stats-history'
import { Center } from '@mantine/core'
import { useMemo } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import type { Formatters } from '../../i18n/formatters.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { QueryState } from '../../ui/loading/query-state.tsx'
import {
  type ChartType,
  createHistoryLine,
  createScale,
  downsample,
  getAverage,
  getMinAxes,
  getPastTicks,
  type MemoryUnit,
  type Scale,
  type TimeSeries,
  toUnit,
  trafficTypes,
} from './chart-data.ts'
import { type StatsChart, StatsCharts } from './stats-charts.tsx'
import { getTrafficFormats, getUnmeasured, minTrafficAxis } from './traffic.ts'
import { getUsageFormats } from './usage.ts'

interface PastChartsProps {
  readonly server: string
  readonly range: StatsRange
  readonly unit: MemoryUnit
  /** Whether the vertical axes are fitted to the values. */
  readonly isFitted: boolean
  readonly asTable: boolean
}

/** How often a range is refetched: about as often as it has a new point. */
const refreshMs = { hour: 15_000, day: 60_000, month: 600_000, year: 600_000 } as const

/** The usage of a server over a range of the past. */
export function PastCharts({ server, range, unit, isFitted, asTable }: PastChartsProps) {
  const t = useT()
  const formatters = useFormatters()
  const query = useApiQuery(
    getStatsHistory,
    { params: { id: server }, query: { range } },
    { refetchInterval: refreshMs[range] },
  )
  const { data } = query

  const charts = useMemo((): readonly StatsChart[] => {
    if (!data) return []
    const { fromMs: from, stepMs } = data
    const { shortTime, shortDate, dateTime } = formatters
    const to = from + (data.cpu.length - 1) * stepMs
    const ticks = getPastTicks(from, to, range === 'hour' || range === 'day' ? shortTime : shortDate)
    const formats = getUsageFormats(formatters, unit)
    const playerFormats = getPlayerFormats(formatters)
    const createChart = (
      type: ChartType,
      values: Pick<TimeSeries, 'values' | 'peaks'>,
      min: number,
      getFormats: (scale: Scale) => Pick<StatsChart, 'axisUnit' | 'formatTick' | 'format'>,
    ): StatsChart => {
      const series = downsample({ from, stepMs, ...values })
      const peaks = series.peaks.filter((value) => value !== null)
      const scale = createScale(peaks, min)
      return {
        type,
        line: createHistoryLine(series, scale.upper),
        scale,
        ticks,
        formatTime: dateTime,
        ...getFormats(scale),
        summary: {
          average: getAverage(series.values.filter((value) => value !== null)),
          peak: Math.max(0, ...peaks),
        },
      }
    }
    const inUnit = (values: readonly (number | null)[]) =>
      values.map((value) => (value === null ? null : toUnit(value, unit)))
    const minAxes = getMinAxes(unit, isFitted)
    const memory = { values: inUnit(data.memory), peaks: inUnit(data.memoryPeak) }
    return [
      createChart('cpu', { values: data.cpu, peaks: data.cpuPeak }, minAxes.cpu, () => formats.cpu),
      createChart('memory', memory, minAxes.memory, () => formats.memory),
      ...(isKnown(data.players) ? [createChart('players', getPlayers(data), minPlayersAxis, () => playerFormats)] : []),
      ...trafficTypes
        .filter((type) => isKnown(data[type]))
        .map((type) => {
          const values = inUnit(data[type] ?? [])
          return createChart(type, { values, peaks: values }, minTrafficAxis, (scale) =>
            getTrafficFormats(formatters, unit, scale),
          )
        }),
    ]
  }, [data, range, unit, isFitted, formatters])

  return (
    <QueryState
      inCard
      query={query}
      errorTitle={t('stats.LoadFailed')}
      skeletonHeight={536}
      isEmpty={() => charts.every(({ line }) => line.points.length === 0)}
      empty={
        <Center h={208} fz="sm" c="dimmed">
          {t('stats.NoData')}
        </Center>
      }
    >
      {(loaded) => (
        <StatsCharts charts={charts} asTable={asTable} unmeasured={getUnmeasured((type) => isKnown(loaded[type]))} />
      )}
    </QueryState>
  )
}

/** The lowest upper end of the axis: it has whole numbers. */
const minPlayersAxis = 5

function getPlayers({ players = [], playersPeak = players }: ResponseOf<typeof getStatsHistory>) {
  return { values: players, peaks: playersPeak }
}

function getPlayerFormats({ number }: Formatters) {
  return {
    axisUnit: undefined,
    formatTick: (value: number) => number(value),
    // Averages have decimals.
    format: (value: number) => number(value, Number.isInteger(value) ? 0 : 1),
  }
}

function isKnown(values: readonly (number | null)[] | undefined): boolean {
  return values?.some((value) => value !== null) ?? false
}
