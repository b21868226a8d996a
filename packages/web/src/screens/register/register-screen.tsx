import { register } from '@innkeeper/contract/accounts/sign-up'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { Button } from '@mantine/core'
import { IconCircleCheck, IconUserOff } from '@tabler/icons-react'
import { use, useState } from 'react'
import { Trans } from 'react-i18next'
import { Link, Navigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { AccountForm, EmailField, PasswordFields, UsernameField } from '../../features/new-account/account-fields.tsx'
import { useAccountForm } from '../../features/new-account/use-account-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { AuthFooter, AuthLayout, AuthMessage } from '../../ui/layout/auth-layout.tsx'
import { BrandContext } from '../../ui/layout/page.tsx'

/** Creates an account, where the panel allows registration. It has no permissions until an administrator grants some. */
export function RegisterScreen() {
  const t = useT()
  const brand = use(BrandContext)
  const { isSignedIn, start } = useSession()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const { mutateAsync } = useApiMutation(register)
  const [status, setStatus] = useState<'open' | 'closed' | 'done'>('open')
  const account = useAccountForm({
    fields: ['username', 'email', 'password', 'repeated'],
    send: ({ username, email, password }) => mutateAsync({ body: { username, email, password } }),
    onSaved: ({ session, scopes }) => {
      setStatus('done')
      start({ session, ...(scopes ? { scopes } : {}) })
    },
    handleError: (error) => {
      // Registration was turned off while the form was open.
      const isClosed = isRefusal(error, 'ErrNotFound')
      if (isClosed) setStatus('closed')
      return isClosed
    },
  })

  if (status === 'done') {
    return (
      <AuthMessage
        icon={<IconCircleCheck size={26} aria-hidden />}
        title={t('register.Done')}
        subtitle={t('register.DoneHow')}
      >
        <Button component={Link} to="/account" h={40}>
          {t('shell.GoToAccount')}
        </Button>
      </AuthMessage>
    )
  }
  if (isSignedIn) return <Navigate to="/server" replace />
  if (config.data?.setupNeeded) return <Navigate to="/auth/setup" replace />
  if (status === 'closed' || config.data?.registrationEnabled === false) {
    return (
      <AuthMessage
        icon={<IconUserOff size={26} aria-hidden />}
        title={t('register.Closed')}
        subtitle={t('register.ClosedHow')}
      >
        <Button component={Link} to="/auth/login" h={40}>
          {t('sign-in.SignIn')}
        </Button>
      </AuthMessage>
    )
  }
  return (
    <AuthLayout title={t('register.Title')} subtitle={t('register.Subtitle', { brand })}>
      <AccountForm account={account} action={t('register.Register')}>
        <UsernameField account={account} autoFocus />
        <EmailField account={account} />
        <PasswordFields account={account} />
      </AccountForm>
      <AuthFooter>
        <Trans i18nKey="register.HaveAccount" components={{ signIn: <Link to="/auth/login" /> }} />
      </AuthFooter>
    </AuthLayout>
  )
}
