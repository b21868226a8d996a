import { setup } from '@innkeeper/contract/accounts/sign-up'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { use } from 'react'
import { Navigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { AccountForm, EmailField, PasswordFields, UsernameField } from '../../features/new-account/account-fields.tsx'
import { useAccountForm } from '../../features/new-account/use-account-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { AuthLayout } from '../../ui/layout/auth-layout.tsx'
import { BrandContext } from '../../ui/layout/page.tsx'

/** Creates the first administrator. Needs the code that Innkeeper printed in its terminal. */
export function SetupScreen() {
  const t = useT()
  const brand = use(BrandContext)
  const queries = useQueryClient()
  const { start, isSignedIn } = useSession()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const { mutateAsync } = useApiMutation(setup)
  const account = useAccountForm({
    fields: ['code', 'username', 'email', 'password', 'repeated'],
    send: ({ repeated: _, ...values }) => mutateAsync({ body: values }),
    onSaved: (session) => {
      queries.setQueryData(getQueryKey(getConfig, {}), (before) => before && { ...before, setupNeeded: false })
      start(session)
    },
    handleError: (error) => {
      if (isRefusal(error, 'ErrSetupDone')) void config.refetch()
      return false
    },
  })

  if (isSignedIn) return <Navigate to="/server" replace />
  if (config.data?.setupNeeded === false) return <Navigate to="/auth/login" replace />
  return (
    <AuthLayout wide title={t('setup.Title', { brand })} subtitle={t('setup.Subtitle')}>
      <AccountForm account={account} action={t('setup.Create')}>
        <TextInput
          {...account.field('code')}
          name="code"
          required
          withAsterisk={false}
          label={t('setup.Code')}
          description={t('setup.CodeWhere')}
          inputWrapperOrder={['label', 'description', 'input', 'error']}
          placeholder={t('setup.CodeSample')}
          autoFocus
          autoComplete="one-time-code"
          spellCheck={false}
          autoCapitalize="none"
          dir="ltr"
          styles={{ input: { fontFamily: 'var(--ik-mono)' } }}
        />
        <UsernameField account={account} />
        <EmailField account={account} />
        <PasswordFields account={account} />
        <Switch
          label={t('settings.Registration')}
          description={t('setup.RegistrationHow')}
          {...account.switchField('registrationEnabled')}
        />
      </AccountForm>
    </AuthLayout>
  )
}
