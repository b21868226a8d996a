import { getCredentialCounts, listSessions, putSelf } from '@innkeeper/contract/accounts/account'
import { listAccountClients } from '@innkeeper/contract/accounts/oauth2'
import { listSshKeys } from '@innkeeper/contract/accounts/ssh-keys'
import { Box, Checkbox, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { validateAccountField } from '../../features/new-account/validate-account.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { PasswordRules } from '../../ui/fields/password-rules.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AccountSection, FormGrid } from './account-section.tsx'
import { fieldByCode } from './field-by-code.ts'

interface PasswordDraft {
  readonly password: string
  readonly newPassword: string
  readonly repeated: string
  readonly removeSshKeys: boolean
  readonly removeClients: boolean
}

const emptyValues: PasswordDraft = {
  password: '',
  newPassword: '',
  repeated: '',
  removeSshKeys: false,
  removeClients: false,
}

const labels = {
  password: 'account.CurrentPassword',
  newPassword: 'common.NewPassword',
  repeated: 'account.NewPasswordAgain',
  removeSshKeys: 'account.RemoveKeys',
  removeClients: 'account.DeleteClients',
} as const

/** Changes the password. Requires the current one. */
export function PasswordSection() {
  const t = useT()
  const { self } = useSession()
  const put = useApiMutation(putSelf, {
    invalidates: [listSessions, listSshKeys, listAccountClients, getCredentialCounts],
  })
  const { data: credentials } = useApiQuery(getCredentialCounts)
  const [hasKeys, hasClients] = [credentials?.sshKeys !== 0, credentials?.clients !== 0]
  const form = useSaveForm<PasswordDraft>({
    allowUnchanged: true,
    saved: { values: emptyValues },
    // A save resets secrets to their initial values.
    secrets: ['password', 'newPassword', 'repeated', 'removeSshKeys', 'removeClients'],
    getLabel: (field) => t(labels[field]),
    fieldByCode,
    messages: { ErrInvalidCredentials: t('account.WrongPassword') },
    validate: ({ password, newPassword, repeated }) => {
      const newValues = { password: newPassword, repeated }
      return {
        password: password === '' ? t('errors.ErrFieldRequired', { field: t(labels.password) }) : undefined,
        newPassword: validateAccountField(t, 'password', newValues),
        repeated: validateAccountField(t, 'repeated', newValues),
      }
    },
    send: ({ values: { repeated: _, ...body } }) => put.mutateAsync({ body }),
    onSaved: () => toast.success(t('account.PasswordChanged'), { detail: t('account.SignedOutOthers') }),
  })

  return (
    <AccountSection id="password" title={t('common.Password')} isFlush>
      <SaveForm form={form} isInCard aria-label={t('common.Password')}>
        {/* Tells password managers which account the password belongs to. */}
        <VisuallyHidden>
          <input autoComplete="username" value={self?.email ?? ''} readOnly tabIndex={-1} aria-hidden />
        </VisuallyHidden>
        <Stack p="md">
          <FormGrid>
            <PasswordField
              {...form.field('password')}
              label={t('account.CurrentPassword')}
              autoComplete="current-password"
            />
            <Box>
              <PasswordField
                {...form.field('newPassword')}
                label={t('common.NewPassword')}
                autoComplete="new-password"
              />
              <PasswordRules password={form.values.newPassword} repeated={form.values.repeated} />
            </Box>
            <PasswordField
              {...form.field('repeated')}
              label={t('account.NewPasswordAgain')}
              autoComplete="new-password"
            />
          </FormGrid>
          {(hasKeys || hasClients) && (
            <Stack gap="xs">
              {hasKeys && <Checkbox label={t('account.RemoveKeys')} {...form.switchField('removeSshKeys')} />}
              {hasClients && <Checkbox label={t('account.DeleteClients')} {...form.switchField('removeClients')} />}
              <Text variant="note">{t('account.RemovalHint')}</Text>
            </Stack>
          )}
        </Stack>
        <SaveBar form={form} isInline action={t('account.ChangePassword')} />
      </SaveForm>
    </AccountSection>
  )
}
