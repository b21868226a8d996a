import { listServers } from '@innkeeper/contract/servers/servers'
import type { TemplateSummary } from '@innkeeper/contract/templates/templates'
import { Button, Menu, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

/** How many servers the menu lists. */
const maxServers = 50

/** How many servers were made from a template, with a menu of them. */
export function UsedBy({ template: { name, servers } }: { template: TemplateSummary }) {
  const t = useT()
  if (servers === 0) {
    return (
      <Text span inherit c="dimmed">
        {t('templates.Unused')}
      </Text>
    )
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" ms="-xs" flex="none" styles={{ label: { whiteSpace: 'nowrap' } }}>
          {t('templates.UsedByCount', { count: servers })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="min(24rem, 70dvh)" style={{ overflowY: 'auto' }}>
        <ServerLinks template={name} />
      </Menu.Dropdown>
    </Menu>
  )
}

function ServerLinks({ template }: { template: string }) {
  const t = useT()
  const query = useApiQuery(
    listServers,
    { query: { template, limit: maxServers } },
    // A menu has no place for a warning that its items are out of date.
    { gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false },
  )
  return (
    <QueryState
      query={query}
      errorTitle={t('common.ServersNotLoaded')}
      renderError={() => <Menu.Label>{t('common.ServersNotLoaded')}</Menu.Label>}
      skeletonHeight={36}
    >
      {({ servers, paging: { total } }) => (
        <>
          {servers.map(({ id, name }) => (
            <Menu.Item key={id} component={Link} to={`/server/${id}`}>
              <bdi>{name}</bdi>
            </Menu.Item>
          ))}
          {total > servers.length && <Menu.Label>{t('common.AndMore', { count: total - servers.length })}</Menu.Label>}
        </>
      )}
    </QueryState>
  )
}
