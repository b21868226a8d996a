import { login, logout, otp, reauth } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { getConfig, getSelf, type Self } from '@innkeeper/contract/panel'
import { grants, type PanelScope } from '@innkeeper/contract/permissions'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { request, sessionLostEvent } from '../api/request.ts'
import { getSessionToken } from '../api/token.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import type { SessionState, SessionStore } from './store.ts'

/** How often the page asks what the person may do. */
const scopesPollMs = 5_000

export interface Session extends SessionState {
  /** Rejects with the refusal. `otpNeeded` when a code must follow before anybody is logged in. */
  readonly logIn: (who: { email: string; password: string }) => Promise<{ readonly otpNeeded: boolean }>
  /** The second half of such a login: a code of the authenticator, or a recovery code. */
  readonly verifyOtp: (code: string) => Promise<void>
  readonly logOut: () => void
  /** Takes over a session that something else than a login gave. */
  readonly start: SessionStore['start']
}

const SessionContext = createContext<Session | undefined>(undefined)

/** Keeps the session alive while the app is open, and ends it everywhere when it is over. */
export function SessionProvider({ store, children }: { store: SessionStore; children: ReactNode }) {
  const state = useSyncExternalStore(store.subscribe, store.state)
  const queries = useQueryClient()
  // Navigation follows what an administrator changes while the page is open.
  const self = useApiQuery(
    getSelf,
    {},
    {
      enabled: state.loggedIn,
      staleTime: limits.reauthEveryMs,
      refetchInterval: scopesPollMs,
      meta: { quiet: true },
    },
  )
  const { data, dataUpdatedAt } = self

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was just answered is newer than the session
  useEffect(() => {
    if (data?.scopes) store.changeScopes(data.scopes)
  }, [dataUpdatedAt])

  useEffect(() => store.followOtherTabs(), [store])

  useEffect(() => {
    const lose = (event: Event) => {
      const token = (event as CustomEvent<string | null>).detail ?? undefined
      // An answer to a request made before the latest login says nothing about the session that began since. Without a
      // token on either side the cookie is gone, and the session with it.
      if (store.state().loggedIn && token === getSessionToken()) store.clear('timedOut')
    }
    window.addEventListener(sessionLostEvent, lose)
    return () => window.removeEventListener(sessionLostEvent, lose)
  }, [store])

  useEffect(() => {
    if (!state.loggedIn) {
      // What one person saw is not for the next one; what everybody may know stays. Where nobody was logged in there is
      // nothing to forget, and a page such as an invitation may have begun to ask already.
      if (store.state().logoutReason !== undefined) {
        queries.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== getConfig.path })
      }
      return
    }
    const renew = async () => {
      const token = getSessionToken()
      const renewed = await request(reauth)
      if (token === getSessionToken()) store.start(renewed)
    }
    // A refusal that matters ends the session by itself; anything else is tried again at the next turn.
    const timer = window.setInterval(() => void renew().catch(() => undefined), limits.reauthEveryMs)
    if (store.shouldRenew()) void renew().catch(() => undefined)
    return () => window.clearInterval(timer)
  }, [state.loggedIn, store, queries])

  const logIn = useCallback<Session['logIn']>(
    async (who) => {
      const { session, scopes, otpNeeded = false } = await request(login, { body: who })
      if (session !== undefined) store.start({ session, ...(scopes ? { scopes } : {}) })
      return { otpNeeded }
    },
    [store],
  )

  const confirmLogIn = useCallback<Session['verifyOtp']>(
    async (code) => store.start(await request(otp, { body: { token: code } })),
    [store],
  )

  const logOut = useCallback(() => {
    // The token must still be there when the request is built, and gone when the screen changes.
    void request(logout).catch(() => undefined)
    store.clear('loggedOut')
  }, [store])

  const session = useMemo<Session>(
    () => ({ ...state, logIn, verifyOtp: confirmLogIn, logOut, start: (loggedIn) => store.start(loggedIn) }),
    [state, logIn, confirmLogIn, logOut, store],
  )
  return <SessionContext value={session}>{children}</SessionContext>
}

/** Who is logged in and what they may do; `self` is `undefined` until the panel has said it. */
export function useSession(): Session & { readonly self: Self | undefined } {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession needs a SessionProvider around it')
  const self = useApiQuery(getSelf, {}, { enabled: session.loggedIn, staleTime: limits.reauthEveryMs })
  return { ...session, self: self.data }
}

/** Whether the person may do something in the panel as a whole. */
export function useCan(scope: PanelScope): boolean {
  const session = use(SessionContext)
  return session !== undefined && grants(session.scopes, scope)
}
