import { DataList, Paper, SimpleGrid, type StyleProp, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Chart, type ChartData } from './chart.tsx'
import { chartNames } from './chart-data.ts'
import classes from './stats.module.css'
import type { Unmeasured } from './traffic.ts'

/** A chart with its summary; `null` for values that were not measured. */
export interface StatsChart extends ChartData {
  readonly summary: {
    /** Absent in charts of the past. */
    readonly now?: number | null
    readonly average: number | null
    readonly peak: number | null
  }
}

interface StatsChartsProps {
  readonly charts: readonly StatsChart[]
  readonly asTable: boolean
  /** Shown as a note instead of charts. */
  readonly unmeasured: readonly Unmeasured[]
}

/** Charts of the same time range with a shared highlighted point, or their points as a table. */
export function StatsCharts({ charts, asTable, unmeasured }: StatsChartsProps) {
  const t = useT()
  const [activeIndex, setActiveIndex] = useState<number>()
  if (asTable) return <PointTable charts={charts} />
  const renderCard = (chart: StatsChart, height: StyleProp<number>) => (
    <ChartCard
      key={chart.type}
      {...chart}
      height={height}
      activeIndex={activeIndex}
      onActiveIndexChange={setActiveIndex}
    />
  )
  const [usage, traffic] = [charts.slice(0, 2), charts.slice(2)]
  return (
    <>
      {usage.map((chart) => renderCard(chart, { base: 158, sm: 208 }))}
      {traffic.length > 0 && (
        <SimpleGrid minColWidth="min(22rem, 100%)" autoFlow="auto-fit" spacing="md">
          {traffic.map((chart) => renderCard(chart, { base: 110, sm: 146 }))}
        </SimpleGrid>
      )}
      {unmeasured.map((group) => (
        <Text key={group} variant="note">
          {t(group === 'disk' ? 'stats.NoDisk' : 'stats.NoNetwork')}
        </Text>
      ))}
    </>
  )
}

interface ChartCardProps extends StatsChart {
  readonly height: StyleProp<number>
  readonly activeIndex: number | undefined
  readonly onActiveIndexChange: (index: number | undefined) => void
}

function ChartCard({ summary, ...chart }: ChartCardProps) {
  const t = useT()
  const name = t(chartNames[chart.type])
  const format = (value: number | null) => (value === null ? '—' : chart.format(value))
  const average = format(summary.average)
  const peak = format(summary.peak)
  const now = summary.now === undefined ? undefined : format(summary.now)
  return (
    <Paper className={classes.card}>
      <div className={classes.head}>
        <Title order={2}>{name}</Title>
        <DataList className={classes.summary}>
          {now !== undefined && <Figure className={classes.now} label={t('stats.Now')} value={now} />}
          <Figure label={t('stats.Average')} value={average} />
          <Figure label={t('stats.Peak')} value={peak} />
        </DataList>
      </div>
      <Chart
        {...chart}
        name={name}
        summary={
          now === undefined
            ? t('stats.PastSummary', { name, average, peak })
            : t('stats.LiveSummary', { name, now, average, peak })
        }
      />
    </Paper>
  )
}

interface FigureProps {
  readonly label: string
  readonly value: string
  readonly className?: string | undefined
}

function Figure({ label, value, className }: FigureProps) {
  return (
    <DataList.Item className={className}>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue>{value}</DataList.ItemValue>
    </DataList.Item>
  )
}

/** The points of the charts, newest first. */
function PointTable({ charts }: { charts: readonly StatsChart[] }) {
  const t = useT()
  // The memory chart hides points that were not measured; the CPU chart draws them at zero.
  const memory = charts.find(({ type }) => type === 'memory')
  const points = (memory?.line.points ?? []).filter(({ isHidden }) => !isHidden)
  const valuesByTime = charts.map(({ line }) => new Map(line.points.map(({ timestamp, value }) => [timestamp, value])))
  return (
    <Paper style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={0} maxHeight="60dvh" type="native">
        <Table stickyHeader tabularNums horizontalSpacing="md" style={{ whiteSpace: 'nowrap' }}>
          <Table.Thead bg="var(--ik-surface)">
            <Table.Tr>
              <Table.Th>{t('stats.Time')}</Table.Th>
              {charts.map(({ type }) => (
                <Table.Th key={type}>{t(chartNames[type])}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.toReversed().map(({ timestamp }) => (
              <Table.Tr key={timestamp}>
                <Table.Th scope="row" fz="sm" fw={400} c="var(--ik-text)">
                  {memory?.formatTime(timestamp)}
                </Table.Th>
                {charts.map(({ type, format }, index) => {
                  const value = valuesByTime[index]?.get(timestamp)
                  return <Table.Td key={type}>{value === undefined ? '—' : format(value)}</Table.Td>
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}
