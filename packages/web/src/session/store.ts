import type { LoggedIn } from '@innkeeper/contract/auth'
import { browserStorage, tabStorage } from '../api/storage.ts'
import { clearToken, getSessionToken, storeToken } from '../api/token.ts'

/** Why nobody is logged in any more. */
export type LogoutReason = 'loggedOut' | 'loggedOutElsewhere' | 'timedOut'

export interface SessionState {
  readonly loggedIn: boolean
  readonly scopes: readonly string[]
  readonly logoutReason?: LogoutReason
}

/** The entry of local storage that all tabs share; its disappearance logs them all out. */
const storageKey = 'innkeeper.scopes'
/** Why it disappeared, for the other tabs. */
const logoutReasonKey = 'innkeeper.ended'

/** Who is logged in here, shared by all tabs of this browser: the token in a cookie, its scopes in local storage. */
export class SessionStore {
  #state: SessionState = restoreState()
  #isRestored = true
  readonly #listeners = new Set<() => void>()

  /** Returns true once if the session is older than this page: its scopes may be out of date. */
  shouldRenew(): boolean {
    const isOlder = this.#isRestored
    this.#isRestored = false
    return isOlder
  }

  readonly state = (): SessionState => this.#state

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#listeners.add(watcher)
    return () => this.#listeners.delete(watcher)
  }

  /** Takes over what login, setup or re-authentication answered. */
  start({ session, scopes = [] }: LoggedIn): void {
    this.#isRestored = false
    storeToken(session)
    browserStorage.remove(logoutReasonKey)
    browserStorage.set(storageKey, JSON.stringify(scopes))
    this.#setState({ loggedIn: true, scopes })
  }

  /** Takes over what the person may do now. */
  changeScopes(scopes: readonly string[]): void {
    if (!this.#state.loggedIn || isSameSet(scopes, this.#state.scopes)) return
    browserStorage.set(storageKey, JSON.stringify(scopes))
    this.#setState({ loggedIn: true, scopes })
  }

  clear(reason: LogoutReason): void {
    clearToken()
    browserStorage.set(logoutReasonKey, reason)
    browserStorage.remove(storageKey)
    // Drafts and commands are kept for the same person only over a session that ended by itself.
    if (reason === 'loggedOut') clearSessionStorage()
    this.#setState({ loggedIn: false, scopes: [], logoutReason: reason })
  }

  /** Another tab logged in or out. */
  followOtherTabs(): () => void {
    const follow = ({ key }: StorageEvent) => {
      if (key !== null && key !== storageKey) return
      const now = restoreState()
      const ended = browserStorage.get(logoutReasonKey) === 'timedOut' ? 'timedOut' : 'loggedOutElsewhere'
      this.#setState(now.loggedIn || !this.#state.loggedIn ? now : { ...now, logoutReason: ended })
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }

  #setState(state: SessionState): void {
    this.#state = state
    for (const watcher of this.#listeners) watcher()
  }
}

/** Removes what this tab keeps for the person: drafts, commands. */
function clearSessionStorage(): void {
  for (const key of tabStorage.keys()) if (key.startsWith('innkeeper.')) tabStorage.remove(key)
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}

function restoreState(): SessionState {
  const stored = browserStorage.get(storageKey)
  if (getSessionToken() === undefined || stored === null) return { loggedIn: false, scopes: [] }
  return { loggedIn: true, scopes: parseScopes(stored) }
}

function parseScopes(stored: string): readonly string[] {
  try {
    const scopes: unknown = JSON.parse(stored)
    return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
  } catch {
    // Someone else wrote there: the next re-authentication brings the right ones.
    return []
  }
}
