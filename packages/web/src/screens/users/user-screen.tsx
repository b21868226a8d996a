import type { GlobalPermissions } from '@innkeeper/contract/permissions'
import { getUser, getUserPermissions, type UserDetail } from '@innkeeper/contract/users'
import { Button, Skeleton } from '@mantine/core'
import { IconUserOff } from '@tabler/icons-react'
import { Link, useParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { refetched, useVersionedCall, type VersionedAnswer } from '../../api/use-call.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { Card } from '../../ui/small.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { UserForm } from './user-form.tsx'
import { UserSummary } from './user-summary.tsx'
import { useUserTitle } from './users-screen.tsx'

/** One person: who they are, and what they may do in the panel. */
export function UserScreen() {
  const text = useText()
  const { id = '' } = useParams()
  const mayEdit = useMay('users.edit')
  const params = { id }
  const user = useVersionedCall(getUser, { params })
  const permissions = useVersionedCall(getUserPermissions, { params })
  const isLate = useIsLate(user.isPending || permissions.isPending)
  useUserTitle(user.data?.answer.username)

  const error = (user.data ? null : user.error) ?? (permissions.data ? null : permissions.error)
  if (isRefusal(error, 'ErrNotFound', 'ErrUserNotFound', 'ErrFieldInvalid')) return <NobodyThere />
  if (error) {
    const again = () => void Promise.all([user.refetch(), permissions.refetch()])
    return (
      <Card>
        <LoadFailure title={text('users.OneLoadFailed')} error={error} again={again} />
      </Card>
    )
  }
  if (!user.data || !permissions.data) {
    return isLate && <Skeleton h={320} radius="lg" aria-label={text('common.Loading')} />
  }
  const shown = { user: user.data.answer, permissions: permissions.data.answer }
  if (!mayEdit) return <UserSummary {...shown} />
  const versionsOf = (one: Versioned, other: Versioned) => ({ user: one.version, permissions: other.version })
  const reload = async () => {
    const [latest, flags] = await Promise.all([refetched(user), refetched(permissions)])
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
  const text = useText()
  return (
    <Card>
      <EmptyState
        icon={<IconUserOff size={24} stroke={1.6} aria-hidden />}
        title={text('users.Nobody')}
        actions={
          <Button component={Link} to="/user" variant="default">
            {text('users.ToList')}
          </Button>
        }
      />
    </Card>
  )
}
