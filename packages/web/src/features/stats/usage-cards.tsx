import { Group, Paper, Text, Title } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { AreaLine } from '../../ui/layout/area-line.tsx'
import { chartColor, toSegments } from './chart-data.ts'
import classes from './stats.module.css'
import { type Usage, useUsage } from './usage.ts'

/** The current CPU and memory usage with the last two minutes, for the sidebar of the console. */
export function UsageCards({ history }: { history: StatsHistory }) {
  const t = useT()
  const { inUnit, unitName } = useFormatters()
  const usage = useUsage(history)
  const { cpu, memory, unit } = usage
  return (
    <>
      <UsageCard
        usage={usage}
        type="cpu"
        name={t('common.Cpu')}
        note={t('stats.TwoMinutes')}
        value={cpu.format(cpu.summary.now)}
      />
      <UsageCard
        usage={usage}
        type="memory"
        name={t('common.Memory')}
        note={unitName(unit)}
        value={inUnit(memory.summary.now, unit)}
      />
    </>
  )
}

const size = { width: 234, height: 44 }

interface UsageCardProps {
  readonly usage: Usage
  readonly type: 'cpu' | 'memory'
  readonly name: string
  readonly note: string
  readonly value: string
}

function UsageCard({ usage, type, name, note, value }: UsageCardProps) {
  const { values, scale } = usage[type]
  return (
    <Paper px="md" py="sm">
      <Group justify="space-between" align="baseline">
        <Title order={2} fz="compact" fw={400} c="dimmed">
          {name}
        </Title>
        <Text fz="xs" c="var(--ik-subtle)">
          {note}
        </Text>
      </Group>
      <Text className={classes.current}>{usage.isMeasured ? value : '—'}</Text>
      <svg
        className={classes.sparkline}
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
        color={chartColor(type)}
        aria-hidden="true"
      >
        {toSegments(usage.history, values, scale.upper, 'measured').map((segment) => (
          <AreaLine
            key={segment[0]?.x}
            points={segment.map(({ x, y }) => ({ x: x * size.width, y: size.height - 1 - y * (size.height - 3) }))}
            bottom={size.height}
            strokeWidth={1.5}
          />
        ))}
      </svg>
    </Paper>
  )
}
