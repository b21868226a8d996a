import { listUserServers, type UserDetail } from '@innkeeper/contract/accounts/users'
import type { GlobalPermissions } from '@innkeeper/contract/api/permissions'
import { limits } from '@innkeeper/contract/text/limits'
import { Group, List, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

export interface UserProps {
  readonly user: UserDetail
  readonly permissions: GlobalPermissions
}

/** The servers that were shared with a user, with links to their Users tabs. For administrators. */
export function UserServers({ user, permissions }: UserProps) {
  const t = useT()
  const access = useApiQuery(listUserServers, { params: { id: user.id }, query: { limit: limits.pageSizeMax } })

  return (
    <Paper>
      <CardHeader title={t('users.Servers')} />
      <Stack gap="xs" px="md" pt="xs" pb="md" c="dimmed" fz="compact">
        {permissions.admin ? (
          <Text inherit>{t('users.AllServers')}</Text>
        ) : (
          permissions.viewServers && <Text inherit>{t('users.SeesAllServers')}</Text>
        )}
        <QueryState
          query={access}
          errorTitle={t('common.ServersNotLoaded')}
          isEmpty={({ servers }) => servers.length === 0}
          empty={<Text inherit>{t('users.NoServers')}</Text>}
        >
          {({ servers, paging }) => (
            <>
              <List listStyleType="none" ps={0} fz="inherit" aria-label={t('users.Servers')}>
                {servers.map(({ id, name, permissions: granted }) => (
                  <List.Item key={id}>
                    <Group gap="xs" mih="2.25rem" style={{ overflowWrap: 'anywhere' }}>
                      <Link to={`/server/${id}?tab=users`}>
                        <bdi>{name}</bdi>
                      </Link>
                      <span>{t('common.PermissionCount', { count: granted.length })}</span>
                    </Group>
                  </List.Item>
                ))}
              </List>
              {paging.total > servers.length && (
                <Text inherit>{t('common.AndMore', { count: paging.total - servers.length })}</Text>
              )}
            </>
          )}
        </QueryState>
      </Stack>
    </Paper>
  )
}
