import type { GlobalPermissions } from '@innkeeper/contract/permissions'
import { getUser, getUserPermissions, type UserDetail } from '@innkeeper/contract/users'
import { Paper, Skeleton } from '@mantine/core'
import { IconUserOff } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { refetchOrThrow, useVersionedApiQuery, type VersionedAnswer } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { StaleData } from '../../ui/query-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { UserForm } from './user-form.tsx'
import { UserSummary } from './user-summary.tsx'

export interface UserProps {
  readonly user: UserDetail
  readonly permissions: GlobalPermissions
}

/** One user: account, panel permissions and server access. */
export function UserScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const canEdit = useCan('users.edit')
  const params = { id }
  const user = useVersionedApiQuery(getUser, { params })
  const permissions = useVersionedApiQuery(getUserPermissions, { params })
  const isDelayed = useDelayed(user.isPending || permissions.isPending)

  const error = (user.data ? null : user.error) ?? (permissions.data ? null : permissions.error)
  if (isRefusal(error, 'ErrNotFound', 'ErrUserNotFound', 'ErrFieldInvalid')) return <UserNotFound />
  if (error) {
    const retry = () => void Promise.all([user.refetch(), permissions.refetch()])
    return (
      <Paper>
        <QueryError title={t('users.OneLoadFailed')} error={error} retry={retry} />
      </Paper>
    )
  }
  if (!user.data || !permissions.data) {
    return isDelayed && <Skeleton h={320} radius="lg" aria-label={t('common.Loading')} />
  }
  const toProps = (one: VersionedAnswer<UserDetail>, other: VersionedAnswer<GlobalPermissions>) => ({
    user: one.answer,
    permissions: other.answer,
    versions: { user: one.version, permissions: other.version },
  })
  const { versions, ...props } = toProps(user.data, permissions.data)
  const staleNotice = <StaleData query={user.error ? user : permissions} inCard />
  if (!canEdit) {
    return (
      <>
        {staleNotice}
        <UserSummary {...props} />
      </>
    )
  }
  const reload = async () => toProps(...(await Promise.all([refetchOrThrow(user), refetchOrThrow(permissions)])))
  return (
    <>
      {staleNotice}
      <UserForm key={id} {...props} versions={versions} reload={reload} />
    </>
  )
}

function UserNotFound() {
  const t = useT()
  return (
    <Paper>
      <EmptyState icon={IconUserOff} title={t('users.NotFound')} link={{ to: '/user', label: t('users.ToList') }} />
    </Paper>
  )
}
