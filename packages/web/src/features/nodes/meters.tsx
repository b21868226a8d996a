import type { NodeMachine } from '@innkeeper/contract/nodes/nodes'
import { Box, Group, Progress, SimpleGrid, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'

/** From this share on, a resource is almost used up. */
const almostFull = 0.9

/** What a machine uses of its resources, as shares from 0 to 1. */
export function getMeters({ cpu, memory, disk }: NodeMachine) {
  const getShare = (value: number) => (Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0)
  return [
    { name: 'cpu', label: 'common.Cpu', share: getShare(cpu.used / 100) },
    { name: 'memory', label: 'common.Memory', share: getShare(memory.used / memory.total) },
    { name: 'disk', label: 'nodes.Disk', share: getShare(disk.used / disk.total) },
  ] as const
}

interface MeterProps {
  readonly label: string
  readonly share: number
  readonly text: string
}

/** A bar that shows which share of a resource is in use. */
export function Meter({ label, share, text }: MeterProps) {
  return (
    <Box>
      <Group justify="space-between" gap="xs" fz="compact" mb="xs">
        <Text inherit c="dimmed">
          {label}
        </Text>
        <Text inherit>{text}</Text>
      </Group>
      <Progress
        value={share * 100}
        size={6}
        bg="var(--ik-hover)"
        color={share >= almostFull ? 'var(--ik-warning)' : 'var(--ik-primary)'}
        aria-label={label}
      />
    </Box>
  )
}

/** The meters of a machine in one line. Those of a node that is offline are of its last report. */
export function SmallMeters({ machine, isOffline }: { machine: NodeMachine; isOffline: boolean }) {
  const t = useT()
  const { percent } = useFormatters()
  return (
    <SimpleGrid
      minColWidth="5.5rem"
      autoFlow="auto-fit"
      spacing={{ base: 'md', sm: 'xl' }}
      opacity={isOffline ? 0.5 : undefined}
    >
      {getMeters(machine).map(({ name, label, share }) => (
        <Meter key={name} label={t(label)} share={share} text={percent(share * 100)} />
      ))}
    </SimpleGrid>
  )
}
