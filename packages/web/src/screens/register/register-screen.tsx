import { register } from '@innkeeper/contract/auth'
import { getConfig } from '@innkeeper/contract/panel'
import { Button } from '@mantine/core'
import { IconCircleCheck, IconUserOff } from '@tabler/icons-react'
import { use, useState } from 'react'
import { Link, Navigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { EmailField, PasswordFields, UsernameField } from '../../features/new-account/account-fields.tsx'
import { useNewAccount } from '../../features/new-account/use-new-account.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import classes from '../../ui/auth-layout.module.css'
import { AuthFooter, AuthLayout, AuthMessage } from '../../ui/auth-layout.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { BrandContext } from '../../ui/page.tsx'

/** An account of one's own, where the panel allows it. It may do nothing until an administrator gives it rights. */
export function RegisterScreen() {
  const t = useT()
  const brand = use(BrandContext)
  const { loggedIn, start } = useSession()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const { mutateAsync } = useApiMutation(register, { silent: true })
  const [state, setState] = useState<'open' | 'closed' | 'done'>('open')
  const account = useNewAccount({
    asks: ['username', 'email', 'password', 'repeated'],
    send: async ({ username, email, password }) => {
      const { session, scopes } = await mutateAsync({ body: { username, email, password } })
      setState('done')
      start({ session, ...(scopes ? { scopes } : {}) })
    },
    take: (refusal) => {
      // Registration was switched off while the form stood open.
      if (isRefusal(refusal, 'ErrNotFound')) setState('closed')
      return isRefusal(refusal, 'ErrNotFound')
    },
  })
  const corner = (
    <>
      <SchemeToggle />
      <LanguageButton />
    </>
  )

  if (state === 'done') {
    return (
      <AuthMessage
        icon={<IconCircleCheck size={26} aria-hidden />}
        title={t('register.Done')}
        subtitle={t('register.DoneHow')}
        corner={corner}
      >
        <Button component={Link} to="/account" h={40}>
          {t('shell.GoToAccount')}
        </Button>
      </AuthMessage>
    )
  }
  if (loggedIn) return <Navigate to="/" replace />
  if (config.data?.setupNeeded) return <Navigate to="/auth/setup" replace />
  if (state === 'closed' || config.data?.registrationEnabled === false) {
    return (
      <AuthMessage
        icon={<IconUserOff size={26} aria-hidden />}
        title={t('register.Closed')}
        subtitle={t('register.ClosedHow')}
        corner={corner}
      >
        <Button component={Link} to="/auth/login" h={40}>
          {t('login.LogIn')}
        </Button>
      </AuthMessage>
    )
  }
  return (
    <AuthLayout title={t('register.Title')} subtitle={t('register.Subtitle', { brand })} corner={corner}>
      <form ref={account.form} className={classes.form} onSubmit={account.submit} noValidate>
        {account.refusal !== undefined && <ErrorAlert error={account.refusal} />}
        <UsernameField account={account} autoFocus />
        <EmailField account={account} />
        <PasswordFields account={account} />
        <Button type="submit" h={40} loading={account.isPending}>
          {t('register.Register')}
        </Button>
      </form>
      <AuthFooter>
        {t('register.HaveAccount')} <Link to="/auth/login">{t('login.LogIn')}</Link>
      </AuthFooter>
    </AuthLayout>
  )
}
