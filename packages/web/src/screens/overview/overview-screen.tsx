import { listServers } from '@innkeeper/contract/servers/servers'
import { SimpleGrid, Switch } from '@mantine/core'
import { Navigate } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { useCan } from '../../session/session.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { AttentionCard } from './attention-card.tsx'
import { NodesCard } from './nodes-card.tsx'
import { PlayersCard } from './players-card.tsx'
import { RecentCard } from './recent-card.tsx'
import { StateTiles } from './state-tiles.tsx'

const pollMs = 10_000

/** What needs the user, and how everything is. With one server it is the page of that server. */
export function OverviewScreen() {
  const t = useT()
  const canSeeNodes = useCan('nodes.view')
  const canCreate = useCan('servers.create')
  const [startPage, setStartPage] = usePreference('startPage')
  // Sorted by players, for the card of players.
  const query = { sort: 'players', order: 'desc', limit: 100, page: 1, counts: 'true', permissions: 'true' } as const
  const servers = useApiQuery(listServers, { query }, { refetchInterval: pollMs, meta: { quiet: true } })
  const [only, ...others] = servers.data?.servers ?? []
  if (only && others.length === 0 && !canSeeNodes && !canCreate) return <Navigate to={`/server/${only.id}`} replace />

  return (
    <Page>
      <PageHeader
        title={t('overview.Title')}
        actions={
          <Switch
            label={t('overview.OpenFirst')}
            checked={startPage === 'overview'}
            onChange={({ currentTarget }) => setStartPage(currentTarget.checked ? 'overview' : 'servers')}
          />
        }
      />
      <QueryState inCard query={servers} errorTitle={t('common.ServersNotLoaded')}>
        {({ counts, paging, servers: list }) => (
          <>
            {counts && <StateTiles counts={counts} total={paging.total} />}
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
              <AttentionCard />
              {canSeeNodes && <NodesCard />}
              <PlayersCard servers={list} />
              <RecentCard />
            </SimpleGrid>
          </>
        )}
      </QueryState>
    </Page>
  )
}
