import { Paper } from '@mantine/core'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { runsOf } from './scale.ts'
import classes from './stats.module.css'
import { type Usage, useUsage } from './usage.ts'

/** CPU and memory now, each with its last two minutes, for beside the console. */
export function UsageCards({ history }: { history: StatsHistory }) {
  const t = useT()
  const { number } = useFormatters()
  const usage = useUsage(history)
  return (
    <>
      <Paper className={classes.usage}>
        <Head name={t('server.StatsCpu')} note={t('server.StatsTwoMinutes')} />
        <b className={classes.figure}>{usage.isMeasured ? usage.cpu.format(usage.cpu.summary.now) : '—'}</b>
        <Spark usage={usage} of="cpu" />
      </Paper>
      <Paper className={classes.usage}>
        <Head name={t('server.StatsMemory')} note={usage.unit} />
        <b className={classes.figure}>{usage.isMeasured ? `${number(usage.memory.summary.now)} ${usage.unit}` : '—'}</b>
        <Spark usage={usage} of="memory" />
      </Paper>
    </>
  )
}

function Head({ name, note }: { name: string; note: string }) {
  return (
    <div className={classes.usageHead}>
      <h2>{name}</h2>
      <span>{note}</span>
    </div>
  )
}

const size = { width: 234, height: 44 }

function Spark({ usage, of }: { usage: Usage; of: 'cpu' | 'memory' }) {
  const { values, scale } = usage[of]
  return (
    <svg
      className={`${classes.spark} ${classes[of]}`}
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {runsOf(usage.history, values, scale.upper, 'measured').map((run) => {
        const points = run.map(
          ({ x, y }) => `${(x * size.width).toFixed(1)},${(size.height - 1 - y * (size.height - 3)).toFixed(1)}`,
        )
        const from = (run[0]?.x ?? 0) * size.width
        const to = (run.at(-1)?.x ?? 0) * size.width
        return (
          <g key={from}>
            <polygon
              className={classes.area}
              points={`${from},${size.height} ${points.join(' ')} ${to},${size.height}`}
            />
            <polyline className={classes.line} points={points.join(' ')} />
          </g>
        )
      })}
    </svg>
  )
}
