import { Button, SegmentedControl } from '@mantine/core'
import { IconChartLine, IconListNumbers } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormats, useText } from '../../i18n/text.tsx'
import type { StatsHistory } from '../../live/stats-history.ts'
import { useIsPhone } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import { Chart } from './chart.tsx'
import { inUnit, type MemoryUnit, memoryUnits } from './scale.ts'
import classes from './stats.module.css'
import { type Usage, useMemoryUnit, useUsage } from './usage.ts'

interface StatsPanelProps {
  readonly history: StatsHistory
  readonly isLive: boolean
  readonly isOffline: boolean
}

/** CPU and memory of the last two minutes, as charts or as a table. */
export function StatsPanel({ history, isLive, isOffline }: StatsPanelProps) {
  const text = useText()
  const isPhone = useIsPhone()
  const usage = useUsage(history)
  const [unit, setUnit] = useMemoryUnit()
  const [reading, setReading] = useState<number>()
  const [asTable, setAsTable] = useState(false)
  const shared = { history: usage.history, reading, onReading: setReading, height: isPhone ? 158 : 208 }

  const toggle = (
    <Button
      variant={isPhone ? 'default' : 'subtle'}
      color="gray"
      size={isPhone ? 'md' : 'xs'}
      fullWidth={isPhone}
      leftSection={asTable ? <IconChartLine size={17} aria-hidden /> : <IconListNumbers size={17} aria-hidden />}
      onClick={() => setAsTable(!asTable)}
    >
      {text(asTable ? 'server.StatsShowCharts' : 'server.StatsShowTable')}
    </Button>
  )
  return (
    <div className={classes.panel}>
      <div className={classes.bar}>
        <span className={`${classes.state} ${isLive ? classes.live : ''}`}>
          <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
            <circle cx="4" cy="4" r="3" fill="currentColor" />
          </svg>
          {text(isLive ? 'server.StatsLive' : 'server.StatsPolling')}
        </span>
        <span className={classes.span}>{text(isPhone ? 'server.StatsSpanShort' : 'server.StatsSpan')}</span>
        <span className={classes.grow} />
        {!isPhone && toggle}
        <SegmentedControl
          size="xs"
          aria-label={text('server.StatsUnit')}
          value={unit}
          data={[...memoryUnits]}
          onChange={(chosen) => setUnit(chosen as MemoryUnit)}
        />
      </div>
      {isOffline && (
        <p className={classes.offline} role="status">
          {text('server.StatsOffline')}
        </p>
      )}
      {asTable ? (
        <UsageTable usage={usage} />
      ) : (
        (['cpu', 'memory'] as const).map((kind) => {
          const { values, scale, summary, format, tick } = usage[kind]
          const name = text(kind === 'cpu' ? 'server.StatsCpu' : 'server.StatsMemory')
          const figures = {
            now: format(summary.now),
            average: format(summary.average),
            peak: format(summary.peak),
          }
          return (
            <Card key={kind} className={classes.card}>
              <div className={classes.head}>
                <h2>{name}</h2>
                <Figures {...figures} />
              </div>
              <Chart
                {...shared}
                name={name}
                summary={text('server.StatsSummary', figures)}
                color={kind}
                values={values}
                scale={scale}
                tick={tick}
                format={format}
              />
            </Card>
          )
        })
      )}
      {isPhone && toggle}
    </div>
  )
}

function Figures({ now, average, peak }: Readonly<Record<'now' | 'average' | 'peak', string>>) {
  const text = useText()
  return (
    <dl className={classes.figures}>
      {(
        [
          ['Now', now],
          ['Average', average],
          ['Peak', peak],
        ] as const
      ).map(([name, value]) => (
        <div key={name} data-figure={name}>
          <dt>{text(`server.Stats${name}`)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function UsageTable({ usage }: { usage: Usage }) {
  const text = useText()
  const { time } = useFormats()
  return (
    <Card className={classes.tableCard}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{text('server.StatsTime')}</th>
            <th scope="col">{text('server.StatsCpu')}</th>
            <th scope="col">{text('server.StatsMemory')}</th>
          </tr>
        </thead>
        <tbody>
          {usage.seen
            .map((point) => (
              <tr key={point.at}>
                <th scope="row">{time(point.at)}</th>
                <td>{usage.cpu.format(point.cpu)}</td>
                <td>{usage.memory.format(inUnit(point.memory, usage.unit))}</td>
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </Card>
  )
}
