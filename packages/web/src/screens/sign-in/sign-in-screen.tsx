import { getConfig } from '@innkeeper/contract/panel'
import { hasScope } from '@innkeeper/contract/permissions'
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { IconLock, IconMail } from '@tabler/icons-react'
import { type FormEvent, type ReactNode, Suspense, use, useRef, useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { useSession } from '../../session/session.tsx'
import type { SignOutReason } from '../../session/store.ts'
import { Alert } from '../../ui/alert.tsx'
import { AuthFooter, AuthLayout } from '../../ui/auth-layout.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Link, Redirect, useLocation } from '../../ui/navigation.tsx'
import { BrandContext } from '../../ui/page.tsx'
import { getReturnPath } from './return-path.ts'

const TwoFactorDialog = lazyView(async () => (await import('./two-factor-dialog.tsx')).TwoFactorDialog)
// What renders links in texts is a library of its own, which most sign-in pages do not need.
const RegisterLink = lazyView(async () => (await import('./register-link.tsx')).RegisterLink)

/** Why the session ended, unless the user signed out in this tab. */
const signOutMessages: Partial<Record<SignOutReason, TranslationKey>> = {
  timedOut: 'errors.ErrSessionTimedOut',
  signedOutElsewhere: 'sign-in.SignedOutElsewhere',
}

/**
 * Signs the user in and returns to the page that they came from. It does without `useSubmitForm`, because the form library
 * does not fit the first-load budget of this page.
 */
export function SignInScreen() {
  const t = useT()
  const brand = use(BrandContext)
  const { search, hash } = useLocation()
  const { isSignedIn, scopes, signOutReason, signIn } = useSession()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [alert, setAlert] = useState<ReactNode>()
  const [isPending, setIsPending] = useState(false)
  const [isCodeNeeded, setIsCodeNeeded] = useState(false)
  const [hasCapsLock, setHasCapsLock] = useState(false)
  const emailInput = useRef<HTMLInputElement>(null)
  const passwordInput = useRef<HTMLInputElement>(null)

  if (config.data?.setupNeeded) return <Redirect to="/auth/setup" />
  if (isSignedIn) {
    const home = hasScope(scopes, 'servers.view') ? '/server' : '/account'
    const returnPath = getReturnPath(new URLSearchParams(search).get('return'))
    return <Redirect to={returnPath === undefined ? home : returnPath + hash} />
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const missing = email.trim() === '' ? emailInput : password === '' ? passwordInput : undefined
    if (missing) {
      const field = t(missing === emailInput ? 'common.Email' : 'common.Password')
      setAlert(<Alert type="error">{t('errors.ErrFieldRequired', { field })}</Alert>)
      return missing.current?.focus()
    }
    setIsPending(true)
    setAlert(undefined)
    try {
      const { otpNeeded } = await signIn({ email: email.trim(), password })
      setIsCodeNeeded(otpNeeded)
    } catch (error) {
      setAlert(<ErrorAlert error={error} />)
      setPassword('')
      passwordInput.current?.focus()
    } finally {
      setIsPending(false)
    }
  }

  const backToPassword = (error?: string) => {
    setIsCodeNeeded(false)
    setAlert(error && <Alert type="error">{error}</Alert>)
    setPassword('')
    // The dialog returns the focus when it closes; move it after that.
    window.setTimeout(() => passwordInput.current?.focus())
  }

  const signOutMessage = signOutReason && signOutMessages[signOutReason]
  return (
    <AuthLayout title={t('sign-in.Title')} subtitle={brand}>
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          {alert ??
            (signOutMessage && (
              <Alert type="warning" role="alert">
                {t(signOutMessage)}
              </Alert>
            ))}
          {config.isError && !alert && <ErrorAlert error={config.error} />}
          <TextInput
            ref={emailInput}
            label={t('common.Email')}
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
            label={t('common.Password')}
            name="password"
            autoComplete="current-password"
            leftSection={<IconLock size={17} aria-hidden />}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            onKeyUp={(event) => setHasCapsLock(event.getModifierState('CapsLock'))}
            description={hasCapsLock ? t('sign-in.CapsLock') : undefined}
          />
          <Button type="submit" h={40} loading={isPending}>
            {t('sign-in.SignIn')}
          </Button>
        </Stack>
      </form>
      <AuthFooter>
        {config.data?.passwordResetEnabled === false ? (
          <>
            <strong>{t('reset.Forgot')}</strong> {t('reset.NoMailHow')}
          </>
        ) : (
          <Link to="/auth/forgot">{t('reset.Forgot')}</Link>
        )}
      </AuthFooter>
      {config.data?.registrationEnabled && (
        <AuthFooter>
          <Suspense fallback={null}>
            <RegisterLink />
          </Suspense>
        </AuthFooter>
      )}
      <Suspense fallback={null}>
        {isCodeNeeded && <TwoFactorDialog email={email.trim()} onBack={backToPassword} />}
      </Suspense>
    </AuthLayout>
  )
}
