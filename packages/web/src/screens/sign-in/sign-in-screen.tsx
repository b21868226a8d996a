import type { SecondFactor } from '@innkeeper/contract/accounts/auth'
import { hasScope } from '@innkeeper/contract/api/permissions'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { Button, Stack, TextInput } from '@mantine/core'
import { IconLock, IconMail } from '@tabler/icons-react'
import { Suspense, use, useRef, useState } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import type { SignOutReason } from '../../session/store.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { AuthFooter, AuthLayout } from '../../ui/layout/auth-layout.tsx'
import { BrandContext } from '../../ui/layout/page.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { getReturnPath } from './return-path.ts'

const PasskeySignIn = lazyView(async () => (await import('./passkey-sign-in.tsx')).PasskeySignIn)
const TwoFactorDialog = lazyView(async () => (await import('./two-factor-dialog.tsx')).TwoFactorDialog)
// What renders links in texts is a library of its own, which most sign-in pages do not need.
const RegisterLink = lazyView(async () => (await import('./register-link.tsx')).RegisterLink)

/** Why the session ended, unless the user signed out in this tab. */
const signOutMessages: Partial<Record<SignOutReason, TranslationKey>> = {
  timedOut: 'errors.ErrSessionTimedOut',
  signedOutElsewhere: 'sign-in.SignedOutElsewhere',
}

/** Signs the user in and returns to the page that they came from. */
export function SignInScreen() {
  const t = useT()
  const brand = use(BrandContext)
  const { search, hash } = useLocation()
  const { isSignedIn, scopes, signOutReason, signIn } = useSession()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  /** Those with which the user must complete the sign-in. */
  const [secondFactors, setSecondFactors] = useState<readonly SecondFactor[]>()
  /** Why the code was refused for good. */
  const [codeError, setCodeError] = useState<string>()
  const [hasCapsLock, setHasCapsLock] = useState(false)
  // Of this browser: that of the user comes after the first page.
  const [startPage] = usePreference('startPage')
  const passwordInput = useRef<HTMLInputElement>(null)
  const labels = { email: t('common.Email'), password: t('common.Password') }
  const form = useSubmitForm({
    initialValues: { email: '', password: '' },
    isGuarded: false,
    secrets: ['password'],
    normalize: ({ email, password }) => ({ email: email.trim(), password }),
    validate: (values) => {
      const missing = (['email', 'password'] as const).filter((field) => values[field] === '')
      return Object.fromEntries(missing.map((field) => [field, t('errors.ErrFieldRequired', { field: labels[field] })]))
    },
    send: (values) => {
      setCodeError(undefined)
      return signIn(values)
    },
    onSaved: (first) => setSecondFactors(first.otpNeeded ? first.secondFactors : undefined),
    handleError: () => {
      form.set({ password: '' })
      passwordInput.current?.focus()
      return false
    },
  })

  if (config.data?.setupNeeded) return <Navigate to="/auth/setup" replace />
  if (isSignedIn) {
    const start = startPage === 'overview' ? '/overview' : '/server'
    const home = hasScope(scopes, 'servers.view') ? start : '/account'
    const returnPath = getReturnPath(new URLSearchParams(search).get('return'))
    return <Navigate to={returnPath === undefined ? home : returnPath + hash} replace />
  }

  const backToPassword = (error?: string) => {
    setSecondFactors(undefined)
    setCodeError(error)
    // The dialog returns the focus when it closes; move it after that.
    window.setTimeout(() => passwordInput.current?.focus())
  }

  const signOutMessage = signOutReason && signOutMessages[signOutReason]
  return (
    <AuthLayout title={t('sign-in.Title')} subtitle={brand}>
      <SaveForm form={form}>
        <Stack gap="lg">
          {codeError !== undefined && <Alert type="error">{codeError}</Alert>}
          {signOutMessage && !form.failure && codeError === undefined && (
            <Alert type="warning" role="alert">
              {t(signOutMessage)}
            </Alert>
          )}
          {config.isError && !form.failure && <ErrorAlert error={config.error} />}
          <TextInput
            {...form.field('email')}
            label={labels.email}
            type="email"
            name="email"
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            leftSection={<IconMail size={17} aria-hidden />}
          />
          <PasswordField
            {...form.field('password')}
            ref={passwordInput}
            label={labels.password}
            name="password"
            autoComplete="current-password"
            leftSection={<IconLock size={17} aria-hidden />}
            onKeyUp={(event) => setHasCapsLock(event.getModifierState('CapsLock'))}
            description={hasCapsLock ? t('sign-in.CapsLock') : undefined}
          />
          <Button type="submit" h={40} loading={form.isSaving}>
            {t('sign-in.SignIn')}
          </Button>
        </Stack>
      </SaveForm>
      <Suspense fallback={null}>
        {config.data?.passkeyOrigin !== undefined && <PasskeySignIn site={config.data.passkeyOrigin} />}
      </Suspense>
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
        {secondFactors && (
          <TwoFactorDialog email={form.values.email.trim()} secondFactors={secondFactors} onBack={backToPassword} />
        )}
      </Suspense>
    </AuthLayout>
  )
}
