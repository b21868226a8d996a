import { DataList, List, Paper, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import { permissionGroups, toFlagSet } from './permissions.ts'
import { UserHeader } from './user-header.tsx'
import type { UserProps } from './user-screen.tsx'
import { UserServers } from './user-servers.tsx'
import classes from './users-screen.module.css'

/** Read-only view of a user, without the permission to edit users. */
export function UserSummary({ user, permissions }: UserProps) {
  const t = useT()
  const flags = toFlagSet(permissions)
  const isAdmin = flags.has('admin')
  const canListServers = useCan('servers.admin')
  const groups = permissionGroups
    .map(({ name, permissions: all }) => ({ name, granted: all.filter(({ flag }) => isAdmin || flags.has(flag)) }))
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
                <Title order={3} fz="compact" c="dimmed" pt="sm" pb={6}>
                  {t(name)}
                </Title>
                <List ps={0} spacing="xs" icon={<IconCheck size={16} color="var(--ik-online)" aria-hidden />} center>
                  {granted.map(({ flag, name: permission }) => (
                    <List.Item key={flag}>{t(permission)}</List.Item>
                  ))}
                </List>
              </section>
            ))}
          </div>
        )}
      </Paper>
      {canListServers && <UserServers user={user} permissions={permissions} />}
    </>
  )
}
