import { reauth } from '@innkeeper/contract/auth'
import { getSelf } from '@innkeeper/contract/panel'
import type { GlobalFlag, GlobalPermissions } from '@innkeeper/contract/permissions'
import {
  confirmUserEmail,
  deleteUser,
  editUser,
  getUser,
  getUserPermissions,
  listUsers,
  putUserPermissions,
  resetUserOtp,
  type UserDetail,
} from '@innkeeper/contract/users'
import { Button, Paper, PasswordInput, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from 'react-router'
import { request } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey, ifMatch } from '../../api/use-api-query.ts'
import { objectionTo } from '../../features/new-account/rules.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { type Edit, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan, useSession } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { toast } from '../../ui/toast.tsx'
import { PermissionSwitches } from './permission-switches.tsx'
import { allFlags, flagRecord, flagsIn, globalFlagsOf, permissionNames, permissionsOf } from './permissions.ts'
import { UserHead } from './user-head.tsx'
import type { UserProps } from './user-screen.tsx'
import { UserServers } from './user-servers.tsx'
import classes from './users-screen.module.css'

const identityFields = ['username', 'email', 'password'] as const
type IdentityField = (typeof identityFields)[number]

/** Who a person is, and a switch for each of their permissions. */
type UserDraft = Readonly<Record<IdentityField, string> & Record<GlobalFlag, boolean>>

/** Both are saved by requests of their own. */
export interface UserVersions {
  readonly user: string | undefined
  readonly permissions: string | undefined
}

const draftOf = (user: UserDetail, permissions: GlobalPermissions): UserDraft => ({
  username: user.username,
  email: user.email,
  password: '',
  ...flagRecord(globalFlagsOf(permissions)),
})

interface UserFormProps extends UserProps {
  readonly versions: UserVersions
  readonly reload: () => Promise<UserProps & { readonly versions: UserVersions }>
}

/** Changes who a person is and what they may do; both are saved together. */
export function UserForm({ user, permissions, versions, reload }: UserFormProps) {
  const t = useT()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const goTo = useNavigate()
  const { self, start } = useSession()
  const params = { id: user.id }
  const edit = useApiMutation(editUser, { silent: true })
  const putPermissions = useApiMutation(putUserPermissions, { silent: true })
  const remove = useApiMutation(deleteUser, { invalidates: [listUsers] })
  const resetOtp = useApiMutation(resetUserOtp, { invalidates: [getUser] })
  const confirmEmail = useApiMutation(confirmUserEmail, { invalidates: [getUser] })
  const isAdmin = useCan('servers.admin')
  const isSelf = self?.id === user.id

  const send = async ({ values, changed, version, markSaved }: Edit<UserDraft, UserVersions>) => {
    const identity = identityFields.filter((field) => field in changed)
    if (identity.length > 0) {
      const body = Object.fromEntries(identity.map((field) => [field, values[field]]))
      await edit.mutateAsync({ params, body }, ifMatch(version?.user))
      markSaved(identity, version && { ...version, user: undefined })
    }
    if (allFlags.some((flag) => flag in changed)) {
      await putPermissions.mutateAsync({ params, body: permissionsOf(flagsIn(values)) }, ifMatch(version?.permissions))
      // Own rights show in the frame at once.
      if (isSelf) start(await request(reauth))
    }
    const stale = [listUsers, getUser, getUserPermissions, ...(isSelf ? [getSelf] : [])]
    await Promise.all(stale.map((call) => queries.invalidateQueries({ queryKey: getQueryKey(call) })))
  }
  const form = useSaveForm<UserDraft, UserVersions>({
    id: `user-${user.id}`,
    saved: { values: draftOf(user, permissions), version: versions },
    reload: async () => {
      const latest = await reload()
      return { values: draftOf(latest.user, latest.permissions), version: latest.versions }
    },
    secrets: ['password'],
    normalize: (values) => ({ ...values, username: values.username.trim(), email: values.email.trim() }),
    labelOf: (field) => t(fieldNames[field] ?? permissionNames[field as GlobalFlag] ?? 'users.Administrator'),
    byCode: { ErrDuplicateUsername: 'username', ErrDuplicateEmail: 'email' },
    validate: (values, changed) =>
      Object.fromEntries(
        identityFields
          .filter((field) => changed.includes(field))
          .map((field) => [field, objectionTo(t, field, { ...values, repeated: '' })]),
      ),
    confirm: async ({ changed }) => {
      const loses = isSelf && allFlags.some((flag) => changed[flag] === false)
      return (
        !loses ||
        confirm({
          title: t('users.GiveUpTitle'),
          body: t('users.GiveUpBody'),
          action: t('users.GiveUp'),
          acknowledgement: t('users.Understood'),
          danger: true,
        })
      )
    },
    send,
    failure: (edited) =>
      t(identityFields.some((field) => edited.includes(field)) ? 'users.UpdateFailed' : 'users.PermissionsFailed'),
  })

  const askAndDelete = async () => {
    const isWanted = await confirm({
      title: t('users.DeleteTitle', { name: user.username }),
      body: t(isSelf ? 'users.DeleteSelfBody' : 'users.DeleteBody'),
      action: t('users.Delete'),
      danger: true,
      typeToConfirm: user.username,
    })
    if (!isWanted) return
    try {
      await remove.mutateAsync({ params })
    } catch {
      // It was told already, and the person is still there.
      return
    }
    // Nothing of it can be saved any more.
    form.discard()
    toast.success(t('users.Deleted', { name: user.username }))
    await goTo('/user')
  }
  const askAndResetOtp = async () => {
    const isWanted = await confirm({
      title: t('users.ResetOtpTitle', { name: user.username }),
      body: t('users.ResetOtpBody'),
      action: t('users.ResetOtp'),
      danger: true,
    })
    if (!isWanted) return
    try {
      await resetOtp.mutateAsync({ params })
      toast.success(t('users.OtpReset', { name: user.username }))
    } catch {
      // `useSend` has told why.
    }
  }
  const askAndConfirmEmail = async () => {
    const isWanted = await confirm({
      title: t('users.ConfirmEmailTitle', { email: user.email }),
      body: t('users.ConfirmEmailBody', { name: user.username }),
      action: t('users.ConfirmEmail'),
    })
    if (!isWanted) return
    try {
      await confirmEmail.mutateAsync({ params })
      toast.success(t('users.EmailConfirmed', { email: user.email }))
    } catch {
      // `useSend` has told why.
    }
  }

  return (
    <SaveForm form={form} className={classes.form} aria-label={t('users.Form', { name: user.username })}>
      <Paper>
        <UserHead
          user={user}
          actions={
            <>
              {!user.emailConfirmed && isAdmin && (
                <Button
                  size="xs"
                  variant="default"
                  loading={confirmEmail.isPending}
                  onClick={() => void askAndConfirmEmail()}
                >
                  {t('users.ConfirmEmail')}
                </Button>
              )}
              {user.otpEnabled && !isSelf && (
                <Button size="xs" variant="default" loading={resetOtp.isPending} onClick={() => void askAndResetOtp()}>
                  {t('users.ResetOtp')}
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                c="var(--ik-offline)"
                leftSection={<IconTrash size={16} aria-hidden />}
                loading={remove.isPending}
                onClick={() => void askAndDelete()}
              >
                {t('common.Delete')}
              </Button>
            </>
          }
        />
        <div className={classes.fields}>
          <TextInput
            {...form.field('username')}
            label={t('account.Username')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
          {isSelf ? (
            <p className={classes.own}>
              {t('errors.ErrOwnAccount')}. <Link to="/account">{t('users.ToAccount')}</Link>
            </p>
          ) : (
            <>
              <TextInput {...form.field('email')} type="email" label={t('account.Email')} autoComplete="off" />
              <PasswordInput
                {...form.field('password')}
                label={t('users.NewPassword')}
                placeholder={t('users.KeepPassword')}
                autoComplete="new-password"
              />
            </>
          )}
        </div>
      </Paper>
      <PermissionSwitches
        saved={flagsIn(form.saved)}
        flags={flagsIn(form.values)}
        onChange={(flags) => form.set(flagRecord(flags))}
      />
      {isAdmin && <UserServers user={user} permissions={permissions} />}
      <SaveBar form={form} />
    </SaveForm>
  )
}

const fieldNames: Readonly<Record<string, string>> = {
  username: 'account.Username',
  email: 'account.Email',
  password: 'users.NewPassword',
}
