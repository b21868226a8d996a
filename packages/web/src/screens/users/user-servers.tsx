import { limits } from '@innkeeper/contract/limits'
import { listUserServers } from '@innkeeper/contract/users'
import { Group, List, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { toFlagSet } from './permissions.ts'
import type { UserProps } from './user-screen.tsx'

/** The servers that were shared with a user, with links to their Users tabs. For administrators. */
export function UserServers({ user, permissions }: UserProps) {
  const t = useT()
  const flags = toFlagSet(permissions)
  const access = useApiQuery(listUserServers, { params: { id: user.id }, query: { limit: limits.pageSizeMax } })
  const isDelayed = useDelayed(access.isPending)
  const { servers = [], paging } = access.data ?? {}
  const more = (paging?.total ?? 0) - servers.length

  return (
    <Paper>
      <CardHeader title={t('users.Servers')} />
      <Stack gap="xs" px="md" pt="xs" pb="md" c="dimmed" fz="compact">
        {flags.has('admin') ? (
          <Text inherit>{t('users.AllServers')}</Text>
        ) : (
          flags.has('viewServers') && <Text inherit>{t('users.SeesAllServers')}</Text>
        )}
        {access.error && !access.data && (
          <QueryError title={t('users.ServersFailed')} error={access.error} retry={() => void access.refetch()} />
        )}
        {access.isPending && isDelayed && <Skeleton h={64} radius="md" aria-label={t('common.Loading')} />}
        {access.data && servers.length === 0 && <Text inherit>{t('users.NoServers')}</Text>}
        {servers.length > 0 && (
          <List listStyleType="none" ps={0} fz="inherit" aria-label={t('users.Servers')}>
            {servers.map(({ id, name, permissions }) => (
              <List.Item key={id}>
                <Group gap="xs" mih="2.25rem" style={{ overflowWrap: 'anywhere' }}>
                  <Link to={`/server/${id}?tab=users`}>
                    <bdi>{name}</bdi>
                  </Link>
                  <span>{t('users.PermissionCount', { count: permissions.length })}</span>
                </Group>
              </List.Item>
            ))}
          </List>
        )}
        {more > 0 && <Text inherit>{t('users.MoreServers', { count: more })}</Text>}
      </Stack>
    </Paper>
  )
}
