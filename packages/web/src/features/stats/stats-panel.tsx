import { Badge, Box, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconArrowAutofitHeight, IconChartLine, IconCircleFilled, IconListNumbers } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { usePreference } from '../../session/preferences.tsx'
import {
  createLiveLine,
  createScale,
  getLiveTicks,
  memoryUnits,
  type Summary,
  summarize,
  trafficTypes,
} from './chart-data.ts'
import { PastCharts } from './past-charts.tsx'
import { type StatsChart, StatsCharts } from './stats-charts.tsx'
import { getTraffic, getTrafficFormats, getUnmeasured, minTrafficAxis } from './traffic.ts'
import { UptimeCard } from './uptime-card.tsx'
import { useFittedAxes, useMemoryUnit, useUsage } from './usage.ts'

interface StatsPanelProps {
  readonly server: string
  readonly history: StatsHistory
  readonly isLive: boolean
  readonly isOffline: boolean
}

const ranges = ['live', 'hour', 'day', 'month', 'year'] as const
type Range = (typeof ranges)[number]

/** The usage of a server, live or over a range of the past, as charts or as a table. */
export function StatsPanel({ server, history, isLive, isOffline }: StatsPanelProps) {
  const t = useT()
  const { unitName } = useFormatters()
  const [unit, setUnit] = useMemoryUnit()
  const [range, setRange] = useRange()
  const [asTable, setAsTable] = useState(false)
  const [isFitted, setIsFitted] = useFittedAxes()
  return (
    <Stack p={{ base: 'sm', sm: 0 }}>
      <Group gap="xs">
        <SegmentedControl
          size="sm"
          w={{ base: '100%', sm: 'auto' }}
          aria-label={t('stats.Range')}
          value={range}
          data={ranges.map((value) => ({ value, label: t(`stats.Range_${value}`) }))}
          onChange={setRange}
        />
        {range === 'live' && !isLive && (
          <Badge
            c="var(--ik-warning)"
            bg="var(--ik-warning-soft)"
            leftSection={<IconCircleFilled size={6} aria-hidden />}
          >
            {t('console.StatusPolling')}
          </Badge>
        )}
        <Box flex={1} />
        {!asTable && (
          <Button
            variant={isFitted ? 'light' : 'subtle'}
            color={isFitted ? undefined : 'gray'}
            size="xs"
            aria-pressed={isFitted}
            leftSection={<IconArrowAutofitHeight size={17} aria-hidden />}
            onClick={() => setIsFitted(!isFitted)}
          >
            {t('stats.FitAxes')}
          </Button>
        )}
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          leftSection={asTable ? <IconChartLine size={17} aria-hidden /> : <IconListNumbers size={17} aria-hidden />}
          onClick={() => setAsTable(!asTable)}
        >
          {t(asTable ? 'stats.ShowCharts' : 'stats.ShowTable')}
        </Button>
      </Group>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text variant="note">{t(`stats.About_${range}`)}</Text>
        <SegmentedControl
          size="xs"
          flex="none"
          aria-label={t('stats.Unit')}
          value={unit}
          data={memoryUnits.map((value) => ({ value, label: unitName(value) }))}
          onChange={setUnit}
        />
      </Group>
      {range === 'live' ? (
        <>
          {isOffline && (
            <Text variant="note" role="status">
              {t('stats.Offline')}
            </Text>
          )}
          <LiveCharts history={history} isFitted={isFitted} asTable={asTable} />
        </>
      ) : (
        <PastCharts key={range} server={server} range={range} unit={unit} isFitted={isFitted} asTable={asTable} />
      )}
      <UptimeCard server={server} asTable={asTable} />
    </Stack>
  )
}

/** The last selected range, of any server. */
function useRange(): readonly [Range, (range: Range) => void] {
  const [stored, setRange] = usePreference('statsSpan')
  return [ranges.find((range) => range === stored) ?? 'live', setRange]
}

/** After this many points of a running server without a value, the value counts as not measurable. */
const minPoints = 2

/** Replaces values that were not measured by `null`. */
function toChartSummary({ now, average, peak }: Summary, hasCurrent: boolean, hasAny: boolean): StatsChart['summary'] {
  return { now: hasCurrent ? now : null, average: hasAny ? average : null, peak: hasAny ? peak : null }
}

interface LiveChartsProps {
  readonly history: StatsHistory
  readonly isFitted: boolean
  readonly asTable: boolean
}

function LiveCharts(props: LiveChartsProps) {
  const t = useT()
  const formatters = useFormatters()
  const { history, measured, isMeasured, unit, ...usage } = useUsage(props.history, props)
  const axis = { ticks: getLiveTicks(t('stats.AxisNow'), formatters.duration), formatTime: formatters.time }
  const usageCharts = (['cpu', 'memory'] as const).map((type): StatsChart => {
    const { values, summary, ...chart } = usage[type]
    return {
      ...axis,
      ...chart,
      type,
      // The specification asks for a CPU of zero where nothing was measured; a memory of zero would be wrong.
      line: createLiveLine(history, values, chart.scale.upper, { withBlanks: type === 'cpu' }),
      summary: toChartSummary(summary, isMeasured, measured.length > 0),
    }
  })
  const trafficCharts = trafficTypes.flatMap((type): StatsChart[] => {
    const traffic = getTraffic(history, type, unit)
    if (traffic.measured.length === 0) return []
    const scale = createScale(traffic.values, minTrafficAxis)
    return [
      {
        ...axis,
        ...getTrafficFormats(formatters, unit, scale),
        type,
        scale,
        line: createLiveLine(traffic.points, traffic.values, scale.upper, { withBlanks: false }),
        summary: toChartSummary(summarize(traffic.measured), isMeasured, true),
      },
    ]
  })
  const runningPoints = measured.filter(({ memory }) => memory > 0).length
  const unmeasured = getUnmeasured(
    (type) => runningPoints <= minPoints || trafficCharts.some((chart) => chart.type === type),
  )
  return <StatsCharts charts={[...usageCharts, ...trafficCharts]} asTable={props.asTable} unmeasured={unmeasured} />
}
