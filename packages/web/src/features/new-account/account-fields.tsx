import { Button, Stack, TextInput } from '@mantine/core'
import { IconLock, IconMail, IconUser } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { SaveForm } from '../../forms/save-form.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { PasswordRules } from '../../ui/fields/password-rules.tsx'
import type { AccountFormState } from './use-account-form.ts'

interface AccountFormProps {
  readonly account: AccountFormState
  /** Label of the submit button. */
  readonly action: string
  readonly children: ReactNode
}

/** The `<form>` of `useAccountForm`, with the submit button below its fields. */
export function AccountForm({ account, action, children }: AccountFormProps) {
  return (
    <SaveForm form={account}>
      <Stack gap="lg">
        {children}
        <Button type="submit" h={40} loading={account.isSaving}>
          {action}
        </Button>
      </Stack>
    </SaveForm>
  )
}

interface FieldProps {
  readonly account: AccountFormState
  readonly autoFocus?: boolean
}

export function UsernameField({ account, autoFocus = false }: FieldProps) {
  const t = useT()
  return (
    <TextInput
      {...account.field('username')}
      name="username"
      required
      withAsterisk={false}
      label={t('common.Username')}
      description={account.errors.username ? undefined : t('register.UsernameRule')}
      autoFocus={autoFocus}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      leftSection={<IconUser size={17} aria-hidden />}
    />
  )
}

export function EmailField({ account, autoFocus = false }: FieldProps) {
  const t = useT()
  return (
    <TextInput
      {...account.field('email')}
      name="email"
      required
      withAsterisk={false}
      label={t('common.Email')}
      type="email"
      autoFocus={autoFocus}
      autoComplete="email"
      autoCapitalize="none"
      leftSection={<IconMail size={17} aria-hidden />}
    />
  )
}

/** A new password, entered twice. Its rules are ticked while the user types. */
export function PasswordFields({ account, autoFocus = false }: FieldProps) {
  const t = useT()
  const shared = {
    autoComplete: 'new-password',
    leftSection: <IconLock size={17} aria-hidden />,
    required: true,
    withAsterisk: false,
  }
  const { password, repeated } = account.values
  return (
    <>
      <div>
        <PasswordField
          {...account.field('password')}
          {...shared}
          name="password"
          label={t('common.Password')}
          autoFocus={autoFocus}
        />
        <PasswordRules password={password} repeated={repeated} />
      </div>
      <PasswordField {...account.field('repeated')} {...shared} name="repeated" label={t('register.Repeated')} />
    </>
  )
}
