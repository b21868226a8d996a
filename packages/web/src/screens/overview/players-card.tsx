import { getPlayerHistory } from '@innkeeper/contract/servers/players'
import type { ListedServer } from '@innkeeper/contract/servers/servers'
import { Anchor, Group, Paper, Text } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useUsageQuery } from '../../features/servers/use-usage-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Sparkline } from '../../ui/feedback/sparkline.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { getWeek } from './player-week.ts'

const maxServers = 5

/** The servers with the most players now, and how many there were this week. `servers` are sorted by players. */
export function PlayersCard({ servers }: { servers: readonly ListedServer[] }) {
  const t = useT()
  const { number } = useFormatters()
  const { data: usage = [] } = useUsageQuery(servers.map(({ id }) => id))
  const online = new Map(usage.map(({ id, players }) => [id, players?.online ?? 0]))
  const total = usage.reduce((sum, { players }) => sum + (players?.online ?? 0), 0)
  const busy = servers.filter(({ id }) => (online.get(id) ?? 0) > 0).slice(0, maxServers)
  return (
    <Paper component="section" aria-label={t('overview.Players')}>
      <CardHeader title={t('overview.Players')}>
        <Text fw={600}>{number(total)}</Text>
      </CardHeader>
      {busy.length === 0 ? (
        <EmptyState icon={IconUsers} title={t('overview.PlayersNone')} />
      ) : (
        <RowList label={t('overview.Players')}>
          {busy.map((server) => (
            <PlayersRow key={server.id} server={server} online={online.get(server.id) ?? 0} />
          ))}
        </RowList>
      )}
    </Paper>
  )
}

function PlayersRow({ server: { id, name }, online }: { server: ListedServer; online: number }) {
  const t = useT()
  const { number } = useFormatters()
  const history = useApiQuery(getPlayerHistory, { params: { id } }, { staleTime: 10 * 60_000, meta: { quiet: true } })
  const week = history.data && getWeek(history.data)
  return (
    <Group component="li" gap="sm" px="md" py="sm" wrap="nowrap">
      <div style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        <Anchor component={Link} to={`/server/${id}?tab=players`} c="var(--ik-text)" fw={500}>
          {name}
        </Anchor>
        {week && <Text variant="note">{t('overview.PlayersWeek', { count: Math.max(week.peak, online) })}</Text>}
      </div>
      {week && <Sparkline values={week.values} max={1} width={96} />}
      <Text fw={600} miw="2rem" ta="end">
        {number(online)}
      </Text>
    </Group>
  )
}
