import type { GlobalPermissions } from '@innkeeper/contract/permissions'
import { getUser, getUserPermissions, type UserDetail } from '@innkeeper/contract/users'
import { Button, Paper, Skeleton } from '@mantine/core'
import { IconUserOff } from '@tabler/icons-react'
import { Link, useParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { refetchOrThrow, useVersionedApiQuery, type VersionedAnswer } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { UserForm } from './user-form.tsx'
import { UserSummary } from './user-summary.tsx'
import { useUserTitle } from './users-screen.tsx'

/** One person: who they are, and what they may do in the panel. */
export function UserScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const mayEdit = useCan('users.edit')
  const params = { id }
  const user = useVersionedApiQuery(getUser, { params })
  const permissions = useVersionedApiQuery(getUserPermissions, { params })
  const isLate = useDelayed(user.isPending || permissions.isPending)
  useUserTitle(user.data?.answer.username)

  const error = (user.data ? null : user.error) ?? (permissions.data ? null : permissions.error)
  if (isRefusal(error, 'ErrNotFound', 'ErrUserNotFound', 'ErrFieldInvalid')) return <NobodyThere />
  if (error) {
    const retry = () => void Promise.all([user.refetch(), permissions.refetch()])
    return (
      <Paper>
        <QueryError title={t('users.OneLoadFailed')} error={error} retry={retry} />
      </Paper>
    )
  }
  if (!user.data || !permissions.data) {
    return isLate && <Skeleton h={320} radius="lg" aria-label={t('common.Loading')} />
  }
  const shown = { user: user.data.answer, permissions: permissions.data.answer }
  if (!mayEdit) return <UserSummary {...shown} />
  const versionsOf = (one: Versioned, other: Versioned) => ({ user: one.version, permissions: other.version })
  const reload = async () => {
    const [latest, flags] = await Promise.all([refetchOrThrow(user), refetchOrThrow(permissions)])
    return { user: latest.answer, permissions: flags.answer, versions: versionsOf(latest, flags) }
  }
  // Another person is another form.
  return <UserForm key={id} {...shown} versions={versionsOf(user.data, permissions.data)} reload={reload} />
}

type Versioned = Pick<VersionedAnswer<unknown>, 'version'>

/** What both ways of showing a person are given. */
export interface UserProps {
  readonly user: UserDetail
  readonly permissions: GlobalPermissions
}

function NobodyThere() {
  const t = useT()
  return (
    <Paper>
      <EmptyState
        icon={<IconUserOff size={24} aria-hidden />}
        title={t('users.Nobody')}
        actions={
          <Button component={Link} to="/user" variant="default">
            {t('users.ToList')}
          </Button>
        }
      />
    </Paper>
  )
}
