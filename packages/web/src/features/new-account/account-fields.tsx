import { PasswordInput, TextInput } from '@mantine/core'
import { IconLock, IconMail, IconUser } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { PasswordRules } from '../../ui/password-rules.tsx'
import type { NewAccountForm } from './use-new-account.ts'

/** The name that other people see. */
export function UsernameField({ account, autoFocus = false }: { account: NewAccountForm; autoFocus?: boolean }) {
  const t = useT()
  const field = account.field('username')
  return (
    <TextInput
      {...field}
      label={t('register.Username')}
      description={field.error ? undefined : t('register.UsernameRule')}
      autoFocus={autoFocus}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      leftSection={<IconUser size={17} aria-hidden />}
    />
  )
}

/** The address a person logs in with. */
export function EmailField({ account, autoFocus = false }: { account: NewAccountForm; autoFocus?: boolean }) {
  const t = useT()
  return (
    <TextInput
      {...account.field('email')}
      label={t('login.Email')}
      type="email"
      autoFocus={autoFocus}
      autoComplete="email"
      autoCapitalize="none"
      leftSection={<IconMail size={17} aria-hidden />}
    />
  )
}

/** A new password, twice, with its rules ticked while it is typed. */
export function PasswordFields({ account, autoFocus = false }: { account: NewAccountForm; autoFocus?: boolean }) {
  const t = useT()
  const shared = {
    autoComplete: 'new-password',
    leftSection: <IconLock size={17} aria-hidden />,
  }
  const { password, repeated } = account.values
  return (
    <>
      <div>
        <PasswordInput {...account.field('password')} {...shared} label={t('login.Password')} autoFocus={autoFocus} />
        <PasswordRules password={password} repeated={repeated} />
      </div>
      <PasswordInput {...account.field('repeated')} {...shared} label={t('register.Repeated')} />
    </>
  )
}
