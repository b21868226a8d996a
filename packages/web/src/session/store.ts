import type { LoggedIn } from '@innkeeper/contract/auth'
import { browserStorage, tabStorage } from '../api/storage.ts'
import { forgetToken, keepToken, sessionToken } from '../api/token.ts'

/** Why nobody is logged in any more. */
export type Ending = 'loggedOut' | 'loggedOutElsewhere' | 'timedOut'

export interface SessionState {
  readonly loggedIn: boolean
  readonly scopes: readonly string[]
  readonly ended?: Ending
}

/** The entry of local storage that all tabs share; its disappearance logs them all out. */
const storageKey = 'innkeeper.scopes'
/** Why it disappeared, for the other tabs. */
const endedKey = 'innkeeper.ended'

/** Who is logged in here, shared by all tabs of this browser: the token in a cookie, its scopes in local storage. */
export class SessionStore {
  #state: SessionState = remembered()
  #isRemembered = true
  readonly #watchers = new Set<() => void>()

  /** Returns true once if the session is older than this page: its scopes may be out of date. */
  shouldRenew(): boolean {
    const isOlder = this.#isRemembered
    this.#isRemembered = false
    return isOlder
  }

  readonly state = (): SessionState => this.#state

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Takes over what login, setup or re-authentication answered. */
  begin({ session, scopes = [] }: LoggedIn): void {
    this.#isRemembered = false
    keepToken(session)
    browserStorage.remove(endedKey)
    browserStorage.set(storageKey, JSON.stringify(scopes))
    this.#become({ loggedIn: true, scopes })
  }

  /** Takes over what the person may do now. */
  changeScopes(scopes: readonly string[]): void {
    if (!this.#state.loggedIn || isSameSet(scopes, this.#state.scopes)) return
    browserStorage.set(storageKey, JSON.stringify(scopes))
    this.#become({ loggedIn: true, scopes })
  }

  end(ended: Ending): void {
    forgetToken()
    browserStorage.set(endedKey, ended)
    browserStorage.remove(storageKey)
    // Drafts and commands are kept for the same person only over a session that ended by itself.
    if (ended === 'loggedOut') clearTab()
    this.#become({ loggedIn: false, scopes: [], ended })
  }

  /** Another tab logged in or out. */
  followOtherTabs(): () => void {
    const follow = ({ key }: StorageEvent) => {
      if (key !== null && key !== storageKey) return
      const now = remembered()
      const ended = browserStorage.get(endedKey) === 'timedOut' ? 'timedOut' : 'loggedOutElsewhere'
      this.#become(now.loggedIn || !this.#state.loggedIn ? now : { ...now, ended })
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }

  #become(state: SessionState): void {
    this.#state = state
    for (const watcher of this.#watchers) watcher()
  }
}

/** Removes what this tab keeps for the person: drafts, commands. */
function clearTab(): void {
  for (const key of tabStorage.keys()) if (key.startsWith('innkeeper.')) tabStorage.remove(key)
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}

function remembered(): SessionState {
  const stored = browserStorage.get(storageKey)
  if (sessionToken() === undefined || stored === null) return { loggedIn: false, scopes: [] }
  return { loggedIn: true, scopes: scopesIn(stored) }
}

function scopesIn(stored: string): readonly string[] {
  try {
    const scopes: unknown = JSON.parse(stored)
    return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
  } catch {
    // Someone else wrote there: the next re-authentication brings the right ones.
    return []
  }
}
