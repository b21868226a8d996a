import { reauth } from '@innkeeper/contract/accounts/auth'
import {
  editUser,
  getUser,
  getUserPermissions,
  listUsers,
  putUserPermissions,
  type UserDetail,
} from '@innkeeper/contract/accounts/users'
import type { GlobalPermission, GlobalPermissions } from '@innkeeper/contract/api/permissions'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { Box, Divider, Group, Paper, SimpleGrid, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { Trans } from 'react-i18next'
import { Link } from 'react-router'
import { request } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { getQueryKey } from '../../api/use-api.ts'
import { validateAccountField } from '../../features/new-account/validate-account.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { type Edit, useSaveForm } from '../../forms/use-save-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useCan, useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { ChangedBadge, PermissionSwitch } from '../../ui/fields/permission-switch.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import {
  allPermissions,
  canToggle,
  getChanges,
  permissionGroups,
  permissionNames,
  toGlobalPermissions,
  toPermissionValues,
} from './permissions.ts'
import { UserActions } from './user-actions.tsx'
import { UserHeader } from './user-header.tsx'
import { UserRolesCard } from './user-roles.tsx'
import { type UserProps, UserServers } from './user-servers.tsx'
import classes from './users-screen.module.css'

const identityFields = ['username', 'email', 'password'] as const
type IdentityField = (typeof identityFields)[number]

/** The account of a user, and one boolean for each permission. */
type UserDraft = Readonly<Record<IdentityField, string> & Record<GlobalPermission, boolean>>

/** Versions (`ETag`) of the two resources that the form saves. */
export interface UserVersions {
  readonly user: string | undefined
  readonly permissions: string | undefined
}

const toDraft = (user: UserDetail, permissions: GlobalPermissions): UserDraft => ({
  username: user.username,
  email: user.email,
  password: '',
  ...toPermissionValues(permissions),
})

const labels: Readonly<Record<keyof UserDraft, TranslationKey>> = {
  username: 'common.Username',
  email: 'common.Email',
  password: 'common.NewPassword',
  ...permissionNames,
}

interface UserFormProps extends UserProps {
  readonly versions: UserVersions
  readonly reload: () => Promise<UserProps & { readonly versions: UserVersions }>
}

/** Edits the account and the panel permissions of a user. One save sends both. */
export function UserForm({ user, permissions, versions, reload }: UserFormProps) {
  const t = useT()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const { self, start } = useSession()
  const params = { id: user.id }
  const edit = useApiMutation(editUser)
  const putPermissions = useApiMutation(putUserPermissions)
  const isAdmin = useCan('servers.admin')
  const isSelf = self?.id === user.id

  const send = async ({ values, changed, version, markSaved }: Edit<UserDraft, UserVersions>) => {
    const identity = identityFields.filter((field) => field in changed)
    if (identity.length > 0) {
      const body = Object.fromEntries(identity.map((field) => [field, values[field]]))
      await edit.mutateAsync({ params, body }, { version: version?.user })
      markSaved(identity, version && { ...version, user: undefined })
    }
    if (allPermissions.some((permission) => permission in changed)) {
      const body = toGlobalPermissions(values)
      await putPermissions.mutateAsync({ params, body }, { version: version?.permissions })
      // The session needs the new scopes.
      if (isSelf) start(await request(reauth))
    }
    const stale = [listUsers, getUser, getUserPermissions, ...(isSelf ? [getSelf] : [])]
    await Promise.all(stale.map((endpoint) => queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })))
  }
  const form = useSaveForm<UserDraft, UserVersions>({
    id: `user-${user.id}`,
    saved: { values: toDraft(user, permissions), version: versions },
    reload: async () => {
      const latest = await reload()
      return { values: toDraft(latest.user, latest.permissions), version: latest.versions }
    },
    secrets: ['password'],
    normalize: (values) => ({ ...values, username: values.username.trim(), email: values.email.trim() }),
    getLabel: (field) => t(labels[field]),
    fieldByCode: { ErrDuplicateUsername: 'username', ErrDuplicateEmail: 'email' },
    validate: (values, changed) =>
      Object.fromEntries(
        identityFields
          .filter((field) => changed.includes(field))
          .map((field) => [field, validateAccountField(t, field, values)]),
      ),
    confirm: async ({ changed }) => {
      const losesPermissions = isSelf && allPermissions.some((permission) => changed[permission] === false)
      return (
        !losesPermissions ||
        confirm({
          title: t('users.GiveUpTitle'),
          body: t('users.GiveUpBody'),
          action: t('users.GiveUp'),
          acknowledgement: t('common.UnderstoodNoUndo'),
        })
      )
    },
    send,
    failure: (edited) =>
      t(identityFields.some((field) => edited.includes(field)) ? 'users.UpdateFailed' : 'common.PermissionsFailed'),
  })

  return (
    <SaveForm form={form} aria-label={t('users.Form', { name: user.username })}>
      <Stack>
        <Paper>
          <UserHeader user={user} actions={<UserActions user={user} onDeleted={form.discard} />} />
          <SimpleGrid minColWidth="min(13rem, 100%)" autoFlow="auto-fit" p="md">
            <TextInput
              {...form.field('username')}
              label={t('common.Username')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            {isSelf ? (
              <Text variant="note" pb="xs" style={{ alignSelf: 'end' }}>
                <Trans i18nKey="users.OwnAccount" components={{ account: <Link to="/account" /> }} />
              </Text>
            ) : (
              <>
                <TextInput {...form.field('email')} type="email" label={t('common.Email')} autoComplete="off" />
                <PasswordField
                  {...form.field('password')}
                  label={t('common.NewPassword')}
                  placeholder={t('users.KeepPassword')}
                  autoComplete="new-password"
                />
              </>
            )}
          </SimpleGrid>
        </Paper>
        <PermissionSwitches saved={form.saved} values={form.values} onChange={form.set} />
        <UserRolesCard user={user} />
        {isAdmin && <UserServers user={user} permissions={permissions} />}
        <SaveBar form={form} />
      </Stack>
    </SaveForm>
  )
}

type PermissionValues = Readonly<Record<GlobalPermission, boolean>>

interface PermissionSwitchesProps {
  readonly saved: PermissionValues
  readonly values: PermissionValues
  readonly onChange: (changes: Partial<PermissionValues>) => void
}

/** The panel permissions of a user. Administrator includes all the others. */
function PermissionSwitches({ saved, values: permissions, onChange }: PermissionSwitchesProps) {
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
