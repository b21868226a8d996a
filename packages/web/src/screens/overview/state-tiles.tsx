import { type StatusCounts, type StatusGroup, statusGroups } from '@innkeeper/contract/servers/servers'
import { Group, Paper, Text } from '@mantine/core'
import { IconServer2 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { StatusIcon } from '../../ui/feedback/status.tsx'
import classes from './overview.module.css'

const labels: Readonly<Record<StatusGroup, TranslationKey>> = {
  online: 'status.online',
  notResponding: 'status.notResponding',
  busy: 'servers.Busy',
  offline: 'status.offline',
  crashed: 'status.crashed',
  suspended: 'status.suspended',
  unknown: 'status.unknown',
}

/** How many servers are in each state, as links to the list of them. States without servers are left out. */
export function StateTiles({ counts, total }: { counts: StatusCounts; total: number }) {
  const t = useT()
  const shown = statusGroups.filter((status) => status === 'online' || counts[status] > 0)
  return (
    <ul className={classes.tiles} aria-label={t('overview.States')}>
      <Tile to="/server" count={total} icon={<IconServer2 size={16} aria-hidden />} label={t('shell.Servers')} />
      {shown.map((status) => (
        <Tile
          key={status}
          to={`/server?status=${status}`}
          count={counts[status]}
          icon={<StatusIcon state={status === 'busy' ? 'starting' : status} />}
          label={t(labels[status])}
        />
      ))}
    </ul>
  )
}

interface TileProps {
  readonly to: string
  readonly count: number
  readonly icon: ReactNode
  readonly label: string
}

function Tile({ to, count, icon, label }: TileProps) {
  const { number } = useFormatters()
  return (
    <li>
      <Paper renderRoot={(props) => <Link to={to} {...props} />} className={classes.tile} p="md">
        <Text span className={classes.count}>
          {number(count)}
        </Text>{' '}
        <Group component="span" gap="xs" wrap="nowrap" c="dimmed" fz="compact">
          {icon}
          {label}
        </Group>
      </Paper>
    </li>
  )
}
