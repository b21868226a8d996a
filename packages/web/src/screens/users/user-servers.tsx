import { limits } from '@innkeeper/contract/limits'
import { listUserServers } from '@innkeeper/contract/users'
import { Paper, Skeleton } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { globalFlagsOf } from './permissions.ts'
import type { UserProps } from './user-screen.tsx'
import classes from './users-screen.module.css'

/** The servers that a person was given access to, each with the way to where that is changed. For administrators. */
export function UserServers({ user, permissions }: UserProps) {
  const t = useT()
  const flags = globalFlagsOf(permissions)
  const given = { params: { id: user.id }, query: { limit: limits.pageSizeMax } }
  const found = useApiQuery(listUserServers, given)
  const isLate = useDelayed(found.isPending)
  const { servers = [], paging } = found.data ?? {}
  const more = (paging?.total ?? 0) - servers.length
  const everywhere = flags.has('admin')
    ? 'users.AllServers'
    : flags.has('viewServers')
      ? 'users.SeesAllServers'
      : undefined

  return (
    <Paper>
      <div className={classes.head}>
        <h2>{t('users.Servers')}</h2>
      </div>
      <div className={classes.servers}>
        {everywhere !== undefined && <p>{t(everywhere)}</p>}
        {found.error && !found.data && (
          <QueryError title={t('users.ServersFailed')} error={found.error} retry={() => void found.refetch()} />
        )}
        {found.isPending && isLate && <Skeleton h={64} radius="md" aria-label={t('common.Loading')} />}
        {found.data && servers.length === 0 && <p>{t('users.NoServers')}</p>}
        {servers.length > 0 && (
          <ul aria-label={t('users.Servers')}>
            {servers.map(({ id, name, permissions: given }) => (
              <li key={id}>
                <Link to={`/server/${id}?tab=users`}>
                  <bdi>{name}</bdi>
                </Link>
                <span>{t('users.PermissionCount', { count: given.length })}</span>
              </li>
            ))}
          </ul>
        )}
        {more > 0 && <p>{t('users.MoreServers', { count: more })}</p>}
      </div>
    </Paper>
  )
}
