import { limits } from '@innkeeper/contract/limits'
import { listUserServers } from '@innkeeper/contract/users'
import { Skeleton } from '@mantine/core'
import { Link } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { useText } from '../../i18n/text.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { Card } from '../../ui/small.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { globalFlagsOf } from './permissions.ts'
import type { UserProps } from './user-screen.tsx'
import classes from './users-screen.module.css'

/** The servers that a person was given access to, each with the way to where that is changed. For administrators. */
export function UserServers({ user, permissions }: UserProps) {
  const text = useText()
  const flags = globalFlagsOf(permissions)
  const given = { params: { id: user.id }, query: { limit: limits.pageSizeMax } }
  const found = useCall(listUserServers, given)
  const isLate = useIsLate(found.isPending)
  const { servers = [], paging } = found.data ?? {}
  const more = (paging?.total ?? 0) - servers.length
  const everywhere = flags.has('admin')
    ? 'users.AllServers'
    : flags.has('viewServers')
      ? 'users.SeesAllServers'
      : undefined

  return (
    <Card>
      <div className={classes.head}>
        <h2>{text('users.Servers')}</h2>
      </div>
      <div className={classes.servers}>
        {everywhere !== undefined && <p>{text(everywhere)}</p>}
        {found.error && !found.data && (
          <LoadFailure title={text('users.ServersFailed')} error={found.error} again={() => void found.refetch()} />
        )}
        {found.isPending && isLate && <Skeleton h={64} radius="md" aria-label={text('common.Loading')} />}
        {found.data && servers.length === 0 && <p>{text('users.NoServers')}</p>}
        {servers.length > 0 && (
          <ul aria-label={text('users.Servers')}>
            {servers.map(({ id, name, permissions: given }) => (
              <li key={id}>
                <Link to={`/server/${id}?tab=users`}>
                  <bdi>{name}</bdi>
                </Link>
                <span>{text('users.PermissionCount', { count: given.length })}</span>
              </li>
            ))}
          </ul>
        )}
        {more > 0 && <p>{text('users.MoreServers', { count: more })}</p>}
      </div>
    </Card>
  )
}
