import { getUser, getUserPermissions, type UserDetail } from '@innkeeper/contract/accounts/users'
import type { GlobalPermissions } from '@innkeeper/contract/api/permissions'
import { DataList, List, Paper, Text, Title } from '@mantine/core'
import { IconCheck, IconUserOff } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { isRefusal, type VersionedResponse } from '../../api/request.ts'
import { combineQueries, refetchOrThrow, useVersionedApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { permissionGroups, permissionNames } from './permissions.ts'
import { UserForm } from './user-form.tsx'
import { UserHeader } from './user-header.tsx'
import { UserRolesCard } from './user-roles.tsx'
import { type UserProps, UserServers } from './user-servers.tsx'
import classes from './users-screen.module.css'

/** One user: account, panel permissions and server access. */
export function UserScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const canEdit = useCan('users.edit')
  const params = { id }
  const user = useVersionedApiQuery(getUser, { params })
  const permissions = useVersionedApiQuery(getUserPermissions, { params })
  const toProps = (user: VersionedResponse<UserDetail>, permissions: VersionedResponse<GlobalPermissions>) => ({
    user: user.response,
    permissions: permissions.response,
    versions: { user: user.version, permissions: permissions.version },
  })
  const reload = async () => toProps(...(await Promise.all([refetchOrThrow(user), refetchOrThrow(permissions)])))
  return (
    <QueryState
      inCard
      query={combineQueries(user, permissions)}
      errorTitle={t('users.OneLoadFailed')}
      renderError={(error) =>
        isRefusal(error, 'ErrNotFound', 'ErrUserNotFound', 'ErrFieldInvalid') && (
          <EmptyState icon={IconUserOff} title={t('users.NotFound')} link={{ to: '/user', label: t('users.ToList') }} />
        )
      }
      skeletonHeight={320}
    >
      {(data) => {
        const { versions, ...props } = toProps(...data)
        return canEdit ? (
          <UserForm key={id} {...props} versions={versions} reload={reload} />
        ) : (
          <UserSummary {...props} />
        )
      }}
    </QueryState>
  )
}

/** Read-only view of a user, without the permission to edit users. */
function UserSummary({ user, permissions }: UserProps) {
  const t = useT()
  const isAdmin = permissions.admin === true
  const canListServers = useCan('servers.admin')
  const groups = permissionGroups
    .map(({ name, permissions: granted }) => ({
      name,
      granted: granted.filter((permission) => isAdmin || permissions[permission]),
    }))
    .filter(({ granted }) => granted.length > 0)

  return (
    <>
      <Paper>
        <UserHeader user={user} actions={<ReadOnlyBadge permission={t('users.NeedsEditUsers')} />} />
        <DataList p="md">
          <DataList.Item>
            <DataList.ItemLabel>{t('common.Username')}</DataList.ItemLabel>
            <DataList.ItemValue>
              <bdi>{user.username}</bdi>
            </DataList.ItemValue>
          </DataList.Item>
          <DataList.Item>
            <DataList.ItemLabel>{t('common.Email')}</DataList.ItemLabel>
            <DataList.ItemValue style={{ overflowWrap: 'anywhere' }}>
              <bdi dir="ltr">{user.email}</bdi>
            </DataList.ItemValue>
          </DataList.Item>
        </DataList>
      </Paper>
      <Paper>
        <CardHeader title={t('users.Permissions')} />
        {(isAdmin || groups.length === 0) && (
          <Text c="dimmed" px="md" pt="sm" pb={groups.length === 0 ? 'sm' : 0}>
            {t(isAdmin ? 'users.AdministratorAbout' : 'users.NoPermissions')}
          </Text>
        )}
        {groups.length > 0 && (
          <div className={classes.groups}>
            {groups.map(({ name, granted }) => (
              <section key={name} className={classes.group} aria-label={t(name)}>
                <Title order={3} fz="compact" c="dimmed" pt="sm" pb="xs">
                  {t(name)}
                </Title>
                <List ps={0} spacing="xs" icon={<IconCheck size={16} color="var(--ik-online)" aria-hidden />} center>
                  {granted.map((permission) => (
                    <List.Item key={permission}>{t(permissionNames[permission])}</List.Item>
                  ))}
                </List>
              </section>
            ))}
          </div>
        )}
      </Paper>
      <UserRolesCard user={user} />
      {canListServers && <UserServers user={user} permissions={permissions} />}
    </>
  )
}
