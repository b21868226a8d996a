import { Paper } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Chart } from './chart.tsx'
import type { ChartLine, Mark, Scale } from './scale.ts'
import classes from './stats.module.css'
import type { TrafficFigure, Unmeasured } from './traffic.ts'

/** A chart with what it says in figures. */
export interface StatsChart {
  readonly kind: 'cpu' | 'memory' | TrafficFigure
  readonly line: ChartLine
  readonly scale: Scale
  readonly marks: readonly Mark[]
  readonly timeOf: (at: number) => string
  readonly tick: (value: number) => string
  readonly format: (value: number) => string
  /** `null` stands for what was not measured. */
  readonly figures: Readonly<Partial<Record<'Now' | 'Average' | 'Peak', number | null>>>
}

interface StatsChartsProps {
  readonly charts: readonly StatsChart[]
  readonly height: number
  readonly asTable: boolean
  /** What cannot be told of this server; it is said instead of drawn. */
  readonly unmeasured: readonly Unmeasured[]
}

/** Charts over the same time, read together; or their points as a table, the newest first. */
export function StatsCharts({ charts, height, asTable, unmeasured }: StatsChartsProps) {
  const t = useT()
  const [reading, setReading] = useState<number>()
  if (asTable) return <PointTable charts={charts} />
  const [main, traffic] = [charts.slice(0, 2), charts.slice(2)]
  const cards = (those: readonly StatsChart[], high: number) =>
    those.map((chart) => (
      <ChartCard key={chart.kind} {...chart} height={high} reading={reading} onReading={setReading} />
    ))
  return (
    <>
      {cards(main, height)}
      {traffic.length > 0 && <div className={classes.traffic}>{cards(traffic, Math.round(height * 0.7))}</div>}
      {unmeasured.map((kind) => (
        <p key={kind} className={classes.offline}>
          {t(unmeasuredTexts[kind])}
        </p>
      ))}
    </>
  )
}

const unmeasuredTexts = { disk: 'server.StatsNoDisk', network: 'server.StatsNoNetwork' } as const

interface ChartCardProps extends StatsChart {
  readonly height: number
  readonly reading: number | undefined
  readonly onReading: (back: number | undefined) => void
}

function ChartCard({ figures, ...chart }: ChartCardProps) {
  const t = useT()
  const name = t(nameOf[chart.kind])
  const shown = (['Now', 'Average', 'Peak'] as const).flatMap((figure) => {
    const value = figures[figure]
    return value === undefined
      ? []
      : [{ figure, name: t(`server.Stats${figure}`), value: value === null ? '—' : chart.format(value) }]
  })
  return (
    <Paper className={classes.card}>
      <div className={classes.head}>
        <h2>{name}</h2>
        <dl className={classes.figures}>
          {shown.map((one) => (
            <div key={one.figure} data-figure={one.figure}>
              <dt>{one.name}</dt>
              <dd>{one.value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <Chart
        {...chart}
        name={name}
        summary={shown.map((one) => `${one.name} ${one.value}`).join(', ')}
        color={chart.kind}
      />
    </Paper>
  )
}

const nameOf: Readonly<Record<StatsChart['kind'], string>> = {
  cpu: 'server.StatsCpu',
  memory: 'server.StatsMemory',
  diskRead: 'server.StatsDiskRead',
  diskWrite: 'server.StatsDiskWrite',
  networkIn: 'server.StatsNetworkIn',
  networkOut: 'server.StatsNetworkOut',
}

function PointTable({ charts }: { charts: readonly StatsChart[] }) {
  const t = useT()
  // The line of the memory knows when nobody looked.
  const first = charts.find(({ kind }) => kind === 'memory')
  const readings = (first?.line.readings ?? []).filter(({ isHidden }) => !isHidden)
  const byTime = charts.map(({ line }) => new Map(line.readings.map(({ at, value }) => [at, value])))
  return (
    <Paper className={classes.tableCard}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('server.StatsTime')}</th>
            {charts.map(({ kind }) => (
              <th key={kind} scope="col">
                {t(nameOf[kind])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {readings.toReversed().map(({ at }) => (
            <tr key={at}>
              <th scope="row">{first?.timeOf(at)}</th>
              {charts.map(({ kind, format }, index) => {
                const value = byTime[index]?.get(at)
                return <td key={kind}>{value === undefined ? '—' : format(value)}</td>
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Paper>
  )
}
