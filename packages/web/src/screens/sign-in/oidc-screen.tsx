import type { SecondFactor } from '@innkeeper/contract/accounts/auth'
import { completeOidcLogin, getOidcPurpose, linkIdentity, listIdentities } from '@innkeeper/contract/accounts/oidc'
import { hasScope } from '@innkeeper/contract/api/permissions'
import { Loader, Stack } from '@mantine/core'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { useApiMutation } from '../../api/use-action.ts'
import { readOidcReturnPath } from '../../features/oidc/return-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { AuthFooter, AuthLayout } from '../../ui/layout/auth-layout.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { getReturnPath } from './return-path.ts'

const TwoFactorDialog = lazyView(async () => (await import('./two-factor-dialog.tsx')).TwoFactorDialog)

/** Where providers of OpenID Connect redirect to: completes a sign-in, or links the identity with the account. */
export function OidcScreen() {
  const t = useT()
  const { search } = useLocation()
  const { isSignedIn, start } = useSession()
  const [query] = useState(() => search.slice(1))
  const isLink = getOidcPurpose(new URLSearchParams(query).get('state')) === 'link'
  const [isDone, setIsDone] = useState(false)
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [secondFactors, setSecondFactors] = useState<readonly SecondFactor[]>()
  const handleError = (error: unknown) => {
    setFailure({ error })
    return true
  }
  const signIn = useApiMutation(completeOidcLogin, {
    onSuccess: ({ session, scopes: granted, secondFactors: needed = ['code'] as const }) => {
      setIsDone(true)
      if (session === undefined) setSecondFactors(needed)
      else start({ session, ...(granted && { scopes: granted }) })
    },
    handleError,
  })
  const link = useApiMutation(linkIdentity, {
    invalidates: [listIdentities],
    onSuccess: () => setIsDone(true),
    handleError,
  })
  // The code works once: it is sent once, also when React runs effects twice.
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    void (isLink ? link : signIn).mutate({ body: { query: query || '-' } })
  })

  if (isDone && isLink) return <Navigate to="/account#identities" replace />
  if (isDone && isSignedIn) return <Home />
  return (
    <AuthLayout title={t(isLink ? 'identities.Linking' : 'sign-in.Title')} subtitle="">
      <Stack>
        {failure ? <ErrorAlert error={failure.error} /> : <Loader mx="auto" aria-label={t('common.Loading')} />}
      </Stack>
      {failure && (
        <AuthFooter>
          {isLink ? (
            <Link to="/account#identities">{t('identities.BackToAccount')}</Link>
          ) : (
            <Link to="/auth/login">{t('reset.BackToSignIn')}</Link>
          )}
        </AuthFooter>
      )}
      <Suspense fallback={null}>
        {secondFactors && (
          <TwoFactorDialog secondFactors={secondFactors} onBack={() => window.location.assign('/auth/login')} />
        )}
      </Suspense>
    </AuthLayout>
  )
}

/** The page from which the user came, or the first one. */
function Home() {
  const { scopes } = useSession()
  const home = hasScope(scopes, 'servers.view') ? '/server' : '/account'
  return <Navigate to={getReturnPath(readOidcReturnPath()) ?? home} replace />
}
