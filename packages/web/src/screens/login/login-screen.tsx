import { getConfig } from '@innkeeper/contract/panel'
import { grants } from '@innkeeper/contract/permissions'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { IconLock, IconMail } from '@tabler/icons-react'
import { type FormEvent, type ReactNode, Suspense, use, useRef, useState } from 'react'
import { Link, Navigate, useLocation, useSearchParams } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import type { LogoutReason } from '../../session/store.ts'
import { Alert } from '../../ui/alert.tsx'
import classes from '../../ui/auth-layout.module.css'
import { AuthFooter, AuthLayout } from '../../ui/auth-layout.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { BrandContext } from '../../ui/page.tsx'
import { hashIn, pathToReturnTo } from './return-path.ts'

const TwoFactorDialog = lazyView(async () => (await import('./two-factor-dialog.tsx')).TwoFactorDialog)

/** Why the person has to log in again, where they did not decide it here. */
const reasons: Partial<Record<LogoutReason, string>> = {
  timedOut: 'errors.ErrSessionTimedOut',
  loggedOutElsewhere: 'login.LoggedOutElsewhere',
}

/** Logging in; afterwards back to where the person wanted to be. */
export function LoginScreen() {
  const t = useT()
  const brand = use(BrandContext)
  const [search] = useSearchParams()
  const hash = hashIn(useLocation().state)
  const { loggedIn, scopes, logoutReason, logIn } = useSession()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<ReactNode>()
  const [isPending, setIsPending] = useState(false)
  const [isCodeAsked, setIsCodeAsked] = useState(false)
  const [hasCapsLock, setHasCapsLock] = useState(false)
  const emailInput = useRef<HTMLInputElement>(null)
  const passwordInput = useRef<HTMLInputElement>(null)

  if (config.data?.setupNeeded) return <Navigate to="/auth/setup" replace />
  if (loggedIn) {
    const home = grants(scopes, 'servers.view') ? '/server' : '/account'
    const back = pathToReturnTo(search.get('return'))
    return <Navigate to={back === undefined ? home : back + hash} replace />
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const missing = email.trim() === '' ? emailInput : password === '' ? passwordInput : undefined
    if (missing) {
      const field = t(missing === emailInput ? 'login.Email' : 'login.Password')
      setProblem(<Alert type="error">{t('errors.ErrFieldRequired', { field })}</Alert>)
      return missing.current?.focus()
    }
    setIsPending(true)
    setProblem(undefined)
    try {
      const { otpNeeded } = await logIn({ email: email.trim(), password })
      setIsCodeAsked(otpNeeded)
    } catch (error) {
      setProblem(<ErrorAlert error={error} />)
      setPassword('')
      passwordInput.current?.focus()
    } finally {
      setIsPending(false)
    }
  }

  const backToPassword = (reason?: string) => {
    setIsCodeAsked(false)
    setProblem(reason && <Alert type="error">{reason}</Alert>)
    setPassword('')
    // The dialog gives the focus back when it has gone.
    window.setTimeout(() => passwordInput.current?.focus())
  }

  const reason = logoutReason && reasons[logoutReason]
  return (
    <AuthLayout
      title={t('login.Title')}
      subtitle={t('login.Subtitle', { brand })}
      corner={
        <>
          <SchemeToggle />
          <LanguageButton />
        </>
      }
    >
      <form className={classes.form} onSubmit={submit} noValidate>
        {problem ??
          (reason && (
            <Alert type="warning" urgent>
              {t(reason)}
            </Alert>
          ))}
        {config.isError && !problem && <ErrorAlert error={config.error} />}
        <TextInput
          ref={emailInput}
          label={t('login.Email')}
          type="email"
          name="email"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
          leftSection={<IconMail size={17} aria-hidden />}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          ref={passwordInput}
          label={t('login.Password')}
          name="password"
          autoComplete="current-password"
          leftSection={<IconLock size={17} aria-hidden />}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          onKeyUp={(event) => setHasCapsLock(event.getModifierState('CapsLock'))}
          description={hasCapsLock ? t('login.CapsLock') : undefined}
        />
        <Button type="submit" h={40} loading={isPending}>
          {t('login.LogIn')}
        </Button>
      </form>
      <AuthFooter>
        <Link to="/auth/forgot">{t('reset.Forgot')}</Link>
      </AuthFooter>
      {config.data?.registrationEnabled && (
        <AuthFooter>
          {t('register.NoAccount')} <Link to="/auth/register">{t('register.Register')}</Link>
        </AuthFooter>
      )}
      <Suspense fallback={null}>
        {isCodeAsked && <TwoFactorDialog email={email.trim()} onBack={backToPassword} />}
      </Suspense>
    </AuthLayout>
  )
}
