import type { SecondFactor } from '@innkeeper/contract/accounts/auth'
import { signInByLink } from '@innkeeper/contract/accounts/sign-in-link'
import { ServerId } from '@innkeeper/contract/text/server-id'
import { Button } from '@mantine/core'
import { IconLinkOff } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { AuthFooter, AuthLayout, AuthMessage } from '../../ui/layout/auth-layout.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'

const TwoFactorDialog = lazyView(async () => (await import('./two-factor-dialog.tsx')).TwoFactorDialog)

/**
 * The target of a sign-in link of a shop. The link is used on a click, so that programs that look at links do not use it up;
 * whoever was signed in is signed out.
 */
export function SignInLinkScreen() {
  const t = useT()
  const { hash } = useLocation()
  const { isSignedIn, signOut, start } = useSession()
  const [values] = useState(() => new URLSearchParams(hash.slice(1)))
  const [token, email] = [values.get('token') ?? '', values.get('email') ?? '']
  const server = ServerId.safeParse(values.get('server')).data
  const [status, setStatus] = useState<'open' | 'code' | 'expired'>(token === '' ? 'expired' : 'open')
  const [isUsed, setIsUsed] = useState(false)
  const [secondFactors, setSecondFactors] = useState<readonly SecondFactor[]>([])
  const signIn = useApiMutation(signInByLink, {
    onSuccess: ({ session, scopes, secondFactors: needed = ['code'] as const }) => {
      setIsUsed(true)
      setSecondFactors(needed)
      if (session === undefined) setStatus('code')
      else start({ session, ...(scopes && { scopes }) })
    },
    handleError: (error) => {
      const isExpired = isRefusal(error, 'ErrTokenInvalid', 'ErrNoPermission')
      if (isExpired) setStatus('expired')
      return isExpired
    },
  })

  if (isUsed && isSignedIn) return <Navigate to={server === undefined ? '/server' : `/server/${server}`} replace />
  if (status === 'expired') {
    return (
      <AuthMessage
        isError
        icon={<IconLinkOff size={26} aria-hidden />}
        title={t('reset.Expired')}
        subtitle={t('sign-in.LinkExpired')}
      >
        <AuthFooter>
          <Link to="/auth/login">{t('reset.BackToSignIn')}</Link>
        </AuthFooter>
      </AuthMessage>
    )
  }
  const use = () => {
    if (isSignedIn) signOut()
    void signIn.mutate({ body: { token } })
  }
  return (
    <AuthLayout title={t('sign-in.Title')} subtitle={t('sign-in.LinkSubtitle', { email })}>
      <Button h={40} autoFocus loading={signIn.isPending} onClick={use}>
        {t('sign-in.SignIn')}
      </Button>
      <Suspense fallback={null}>
        {status === 'code' && (
          <TwoFactorDialog email={email} secondFactors={secondFactors} onBack={() => setStatus('expired')} />
        )}
      </Suspense>
    </AuthLayout>
  )
}
