import type { GlobalPermission } from '@innkeeper/contract/api/permissions'
import { Box, Divider, Group, Paper, Switch, Text, Title } from '@mantine/core'
import { useId } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ChangedBadge, PermissionSwitch } from '../../ui/fields/permission-switch.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { canToggle, getChanges, permissionGroups, permissionNames } from './permissions.ts'
import classes from './users-screen.module.css'

type PermissionValues = Readonly<Record<GlobalPermission, boolean>>

interface PermissionSwitchesProps {
  readonly saved: PermissionValues
  readonly values: PermissionValues
  readonly onChange: (changes: Partial<PermissionValues>) => void
}

/** The panel permissions of a user. Administrator includes all the others. */
export function PermissionSwitches({ saved, values: permissions, onChange }: PermissionSwitchesProps) {
  const t = useT()
  const { scopes } = useSession()
  const title = useId()
  const canChange = (permission: GlobalPermission) => canToggle(scopes, saved, permission)
  const isAdmin = permissions.admin
  const isProtected = saved.admin && !canChange('admin')
  const isLimited = permissionGroups.some((group) => !group.permissions.every(canChange))

  return (
    <Paper component="section" aria-labelledby={title}>
      <CardHeader id={title} title={t('users.Permissions')}>
        <Text c="var(--ik-subtle)" fz="xs">
          {t('users.PermissionsAbout')}
        </Text>
      </CardHeader>
      {(isProtected || isLimited) && (
        <Box px="md" pt="md">
          <Alert type="info">{t(isProtected ? 'users.OnlyAdministrators' : 'common.OnlyOwnPermissions')}</Alert>
        </Box>
      )}
      <Group wrap="nowrap" gap="sm" px="md" py="sm">
        <Switch
          label={t('users.Administrator')}
          description={t('users.AdministratorAbout')}
          checked={isAdmin}
          disabled={!canChange('admin')}
          onChange={(event) => onChange({ admin: event.currentTarget.checked })}
        />
        {isAdmin !== saved.admin && <ChangedBadge />}
      </Group>
      <Divider />
      <div className={classes.groups}>
        {permissionGroups.map((group) => (
          <section key={group.name} className={classes.group} aria-label={t(group.name)}>
            <Title order={3} fz="compact" c="dimmed" pt="sm" pb="xs">
              {t(group.name)}
            </Title>
            {group.permissions.map((permission) => (
              <Box key={permission}>
                <PermissionSwitch
                  label={t(permissionNames[permission])}
                  isChanged={permissions[permission] !== saved[permission]}
                  checked={isAdmin || permissions[permission]}
                  disabled={isAdmin || !canChange(permission)}
                  onChange={(isOn) => onChange(getChanges(permission, isOn, canChange))}
                />
                <Divider />
              </Box>
            ))}
          </section>
        ))}
      </div>
    </Paper>
  )
}
