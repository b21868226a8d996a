import { listSessions, putSelf } from '@innkeeper/contract/account'
import { listAccountClients } from '@innkeeper/contract/oauth2'
import { listSshKeys } from '@innkeeper/contract/ssh-keys'
import { Button, Checkbox, PasswordInput, Stack } from '@mantine/core'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { objectionTo } from '../../features/new-account/rules.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { PasswordRules } from '../../ui/password-rules.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './account-screen.module.css'
import { Part } from './part.tsx'
import { fieldOfCode } from './problems.ts'

interface PasswordDraft {
  readonly password: string
  readonly newPassword: string
  readonly repeated: string
  readonly removeSshKeys: boolean
  readonly removeClients: boolean
}

/** Whoever knew the old password may have left keys and clients behind: they end unless the person keeps them. */
const empty: PasswordDraft = { password: '', newPassword: '', repeated: '', removeSshKeys: true, removeClients: true }

const labels = {
  password: 'account.CurrentPassword',
  newPassword: 'account.NewPassword',
  repeated: 'account.NewPasswordAgain',
  removeSshKeys: 'account.EndKeys',
  removeClients: 'account.EndClients',
} as const

/** Another password, in exchange for the current one. */
export function PasswordPart() {
  const t = useT()
  const { self } = useSession()
  const put = useApiMutation(putSelf, { silent: true, invalidates: [listSessions, listSshKeys, listAccountClients] })
  const form = useSaveForm<PasswordDraft>({
    isNew: true,
    saved: { values: empty },
    // All of it is as it was opened again after a save.
    secrets: ['password', 'newPassword', 'repeated', 'removeSshKeys', 'removeClients'],
    labelOf: (field) => t(labels[field]),
    byCode: fieldOfCode,
    messages: { ErrInvalidCredentials: t('account.WrongPassword') },
    validate: ({ password, newPassword, repeated }) => {
      const typed = { username: '', email: '', password: newPassword, repeated }
      const missing = password === '' ? t('errors.ErrFieldRequired', { field: t(labels.password) }) : undefined
      return {
        password: missing,
        newPassword: objectionTo(t, 'password', typed),
        repeated: objectionTo(t, 'repeated', typed),
      }
    },
    send: ({ values: { repeated: _, ...body } }) => put.mutateAsync({ body }),
    onSaved: () => toast.success(t('account.PasswordChanged'), { detail: t('account.OthersEnded') }),
  })
  const field = (name: 'password' | 'newPassword' | 'repeated') => ({
    ...form.field(name),
  })

  return (
    <Part id="password" title={t('account.Password')}>
      <SaveForm form={form} aria-label={t('account.Password')}>
        {/* Tells password managers whose password it is. */}
        <input
          className={classes.unseen}
          autoComplete="username"
          value={self?.email ?? ''}
          readOnly
          tabIndex={-1}
          aria-hidden
        />
        <div className={classes.fields}>
          <PasswordInput {...field('password')} label={t('account.CurrentPassword')} autoComplete="current-password" />
          <div>
            <PasswordInput {...field('newPassword')} label={t('account.NewPassword')} autoComplete="new-password" />
            <PasswordRules password={form.values.newPassword} repeated={form.values.repeated} />
          </div>
          <PasswordInput {...field('repeated')} label={t('account.NewPasswordAgain')} autoComplete="new-password" />
        </div>
        <Stack gap="xs" mt="md">
          <Checkbox label={t('account.EndKeys')} {...form.toggle('removeSshKeys')} />
          <Checkbox
            label={t('account.EndClients')}
            description={t('account.EndWhy')}
            {...form.toggle('removeClients')}
          />
        </Stack>
        <div className={classes.buttons}>
          <Button type="submit" loading={form.isSaving}>
            {t('account.ChangePassword')}
          </Button>
        </div>
      </SaveForm>
    </Part>
  )
}
