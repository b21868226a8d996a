import { getConfig } from '@innkeeper/contract/panel'
import { grants } from '@innkeeper/contract/permissions'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { IconLock, IconMail } from '@tabler/icons-react'
import { type FormEvent, type ReactNode, Suspense, use, useRef, useState } from 'react'
import { Link, Navigate, useLocation, useSearchParams } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import type { Ending } from '../../session/store.ts'
import classes from '../../ui/front-door.module.css'
import { DoorFoot, FrontDoor } from '../../ui/front-door.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { BrandContext } from '../../ui/page.tsx'
import { RefusalNotice } from '../../ui/refusal-notice.tsx'
import { hashIn, pathToReturnTo } from './return-path.ts'

const TwoFactorDialog = lazyView(async () => (await import('./two-factor-dialog.tsx')).TwoFactorDialog)

/** Why the person has to log in again, where they did not decide it here. */
const reasons: Partial<Record<Ending, string>> = {
  timedOut: 'errors.ErrSessionTimedOut',
  loggedOutElsewhere: 'login.LoggedOutElsewhere',
}

/** Logging in; afterwards back to where the person wanted to be. */
export function LoginScreen() {
  const text = useText()
  const brand = use(BrandContext)
  const [search] = useSearchParams()
  const hash = hashIn(useLocation().state)
  const { loggedIn, scopes, ended, logIn } = useSession()
  const config = useCall(getConfig, {}, { staleTime: 60_000 })
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
      const field = text(missing === emailInput ? 'login.Email' : 'login.Password')
      setProblem(<Notice kind="error">{text('errors.ErrFieldRequired', { field })}</Notice>)
      return missing.current?.focus()
    }
    setIsPending(true)
    setProblem(undefined)
    try {
      const { otpNeeded } = await logIn({ email: email.trim(), password })
      setIsCodeAsked(otpNeeded)
    } catch (error) {
      setProblem(<RefusalNotice error={error} />)
      setPassword('')
      passwordInput.current?.focus()
    } finally {
      setIsPending(false)
    }
  }

  const backToPassword = (reason?: string) => {
    setIsCodeAsked(false)
    setProblem(reason && <Notice kind="error">{reason}</Notice>)
    setPassword('')
    // The dialog gives the focus back when it has gone.
    window.setTimeout(() => passwordInput.current?.focus())
  }

  const reason = ended && reasons[ended]
  return (
    <FrontDoor
      title={text('login.Title')}
      subtitle={text('login.Subtitle', { brand })}
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
            <Notice kind="warning" urgent>
              {text(reason)}
            </Notice>
          ))}
        {config.isError && !problem && <RefusalNotice error={config.error} />}
        <TextInput
          ref={emailInput}
          label={text('login.Email')}
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
          label={text('login.Password')}
          name="password"
          autoComplete="current-password"
          leftSection={<IconLock size={17} aria-hidden />}
          visibilityToggleButtonProps={{ 'aria-label': text('login.Reveal') }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          onKeyUp={(event) => setHasCapsLock(event.getModifierState('CapsLock'))}
          description={hasCapsLock ? text('login.CapsLock') : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        <Button type="submit" h={40} loading={isPending}>
          {text('login.LogIn')}
        </Button>
      </form>
      <DoorFoot>
        <Link to="/auth/forgot">{text('reset.Forgot')}</Link>
      </DoorFoot>
      {config.data?.registrationEnabled && (
        <DoorFoot>
          {text('register.NoAccount')} <Link to="/auth/register">{text('register.Register')}</Link>
        </DoorFoot>
      )}
      <Suspense fallback={null}>
        {isCodeAsked && <TwoFactorDialog email={email.trim()} onBack={backToPassword} />}
      </Suspense>
    </FrontDoor>
  )
}
