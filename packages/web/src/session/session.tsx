import { login, logout, otp, reauth, type SecondFactor } from '@innkeeper/contract/accounts/auth'
import { hasScope, type PanelScope } from '@innkeeper/contract/api/permissions'
import { getConfig, getSelf, type Self } from '@innkeeper/contract/settings/panel'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { request, sessionLost } from '../api/request.ts'
import { getSessionToken } from '../api/token.ts'
import { useApiQuery } from '../api/use-api.ts'
import type { SessionState, SessionStore } from './store.ts'

/** The session is extended in this interval, and on use. */
export const renewIntervalMs = 600_000

/** How often the scopes of the user are read again. */
const scopesPollMs = 5_000

export interface Session extends SessionState {
  /** The signed-in user; `undefined` until it is loaded. */
  readonly self: Self | undefined
  /** Rejects with a `Refusal`. `otpNeeded` when one of the second factors must follow to complete the sign-in. */
  readonly signIn: (credentials: { email: string; password: string }) => Promise<FirstFactor>
  /** Completes a sign-in with a code of the authenticator app or a recovery code. */
  readonly verifyOtp: (code: string) => Promise<void>
  readonly signOut: () => void
  /** Takes over a session that was created by another call: setup, invitation. */
  readonly start: SessionStore['start']
}

/** Result of the first step of a sign-in. */
export interface FirstFactor {
  readonly otpNeeded: boolean
  readonly secondFactors: readonly SecondFactor[]
}

const SessionContext = createContext<Session | undefined>(undefined)

/** Renews the session while the app is open, and ends it in all tabs when it is lost. */
export function SessionProvider({ store, children }: { store: SessionStore; children: ReactNode }) {
  const state = useSyncExternalStore(store.subscribe, store.state)
  const queries = useQueryClient()
  // Navigation follows what an administrator changes while the page is open.
  const { data: self, dataUpdatedAt } = useApiQuery(
    getSelf,
    {},
    {
      enabled: state.isSignedIn,
      staleTime: renewIntervalMs,
      refetchInterval: scopesPollMs,
      meta: { quiet: true },
    },
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new response is newer than the scopes of the session
  useEffect(() => {
    if (self?.scopes) store.changeScopes(self.scopes)
  }, [dataUpdatedAt])

  useEffect(() => store.followOtherTabs(), [store])

  useEffect(
    () =>
      sessionLost.on((token) => {
        // A 401 for an older token does not concern the current session. Two missing tokens mean that the cookie is gone.
        if (store.state().isSignedIn && token === getSessionToken()) store.clear('timedOut')
      }),
    [store],
  )

  useEffect(() => {
    if (!state.isSignedIn) {
      // The next user must not see cached data of the previous one; the public configuration stays. Before the first
      // sign-in there is nothing to remove, and a page such as an invitation may already have sent requests.
      if (store.state().signOutReason !== undefined) {
        queries.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== getConfig.path })
      }
      return
    }
    const renew = async () => {
      const token = getSessionToken()
      const renewed = await request(reauth)
      if (token === getSessionToken()) store.start(renewed)
    }
    // A 401 ends the session through `sessionLost`; after other errors the next interval tries again.
    const timer = window.setInterval(() => void renew().catch(() => undefined), renewIntervalMs)
    if (store.shouldRenew()) void renew().catch(() => undefined)
    return () => window.clearInterval(timer)
  }, [state.isSignedIn, store, queries])

  const signIn = useCallback<Session['signIn']>(
    async (credentials) => {
      const { session, scopes, ...next } = await request(login, { body: credentials })
      if (session !== undefined) store.start({ session, ...(scopes ? { scopes } : {}) })
      return { otpNeeded: next.otpNeeded === true, secondFactors: next.secondFactors ?? ['code'] }
    },
    [store],
  )

  const verifyOtp = useCallback<Session['verifyOtp']>(
    async (code) => store.start(await request(otp, { body: { token: code } })),
    [store],
  )

  const signOut = useCallback(() => {
    // The request needs the token; the next screen must not have it.
    void request(logout).catch(() => undefined)
    store.clear('signedOut')
  }, [store])

  const session = useMemo<Session>(
    () => ({ ...state, self, signIn, verifyOtp, signOut, start: (isSignedIn) => store.start(isSignedIn) }),
    [state, self, signIn, verifyOtp, signOut, store],
  )
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The current session: who is signed in, with which scopes. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession needs a SessionProvider')
  return session
}

/** Whether the user has a scope in the panel. */
export function useCan(scope: PanelScope): boolean {
  return hasScope(useSession().scopes, scope)
}
