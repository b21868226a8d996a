import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import { Emitter } from '../api/emitter.ts'
import { browserStorage, tabStorage } from '../api/storage.ts'
import { clearToken, getSessionToken, storeToken } from '../api/token.ts'

/** Why the previous session ended. */
export type SignOutReason = 'signedOut' | 'signedOutElsewhere' | 'timedOut'

export interface SessionState {
  readonly isSignedIn: boolean
  readonly scopes: readonly string[]
  readonly signOutReason?: SignOutReason
}

/** The entry of local storage that all tabs share. Removing it signs out all of them. */
const storageKey = 'innkeeper.scopes'
/** Why it was removed, for the other tabs. */
const signOutReasonKey = 'innkeeper.ended'

/** The session of this browser, shared by all tabs: the token is in a cookie, its scopes are in local storage. */
export class SessionStore {
  #state: SessionState = restoreState()
  #isRestored = true
  readonly #changed = new Emitter()

  /** Returns true once if the session is older than this page: its scopes may be out of date. */
  shouldRenew(): boolean {
    const isOlder = this.#isRestored
    this.#isRestored = false
    return isOlder
  }

  readonly state = (): SessionState => this.#state

  readonly subscribe = this.#changed.on

  /** Stores the session of a sign-in, setup or re-authentication. */
  start({ session, scopes = [] }: LoginResult): void {
    this.#isRestored = false
    storeToken(session)
    browserStorage.remove(signOutReasonKey)
    browserStorage.set(storageKey, JSON.stringify(scopes))
    this.#setState({ isSignedIn: true, scopes })
  }

  /** Stores the current scopes of the user. */
  changeScopes(scopes: readonly string[]): void {
    if (!this.#state.isSignedIn || isSameSet(scopes, this.#state.scopes)) return
    browserStorage.set(storageKey, JSON.stringify(scopes))
    this.#setState({ isSignedIn: true, scopes })
  }

  clear(reason: SignOutReason): void {
    clearToken()
    browserStorage.set(signOutReasonKey, reason)
    browserStorage.remove(storageKey)
    // Drafts and commands survive an expired session, for the same user.
    if (reason === 'signedOut') clearSessionStorage()
    this.#setState({ isSignedIn: false, scopes: [], signOutReason: reason })
  }

  /** Follows sign-ins and sign-outs in other tabs. Returns a function that stops it. */
  followOtherTabs(): () => void {
    const follow = ({ key }: StorageEvent) => {
      if (key !== null && key !== storageKey) return
      const now = restoreState()
      const ended = browserStorage.get(signOutReasonKey) === 'timedOut' ? 'timedOut' : 'signedOutElsewhere'
      this.#setState(now.isSignedIn || !this.#state.isSignedIn ? now : { ...now, signOutReason: ended })
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }

  #setState(state: SessionState): void {
    this.#state = state
    this.#changed.emit()
  }
}

/** Removes the user's drafts and commands of this tab. */
function clearSessionStorage(): void {
  for (const key of tabStorage.keys()) if (key.startsWith('innkeeper.')) tabStorage.remove(key)
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item))
}

function restoreState(): SessionState {
  const stored = browserStorage.get(storageKey)
  if (getSessionToken() === undefined || stored === null) return { isSignedIn: false, scopes: [] }
  return { isSignedIn: true, scopes: parseScopes(stored) }
}

function parseScopes(stored: string): readonly string[] {
  try {
    const scopes: unknown = JSON.parse(stored)
    return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
  } catch {
    // Overwritten by something else: the next re-authentication stores the scopes again.
    return []
  }
}
