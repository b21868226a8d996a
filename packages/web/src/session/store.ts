import type { LoggedIn } from '@innkeeper/contract/auth'
import { forgetToken, keepToken, sessionToken } from '../api/token.ts'

/** Why nobody is logged in any more. */
export type Ending = 'loggedOut' | 'timedOut'

export interface SessionState {
  readonly loggedIn: boolean
  readonly scopes: readonly string[]
  readonly ended?: Ending
}

/** The entry of local storage that all tabs share; its disappearance logs them all out. */
const storageKey = 'innkeeper.scopes'

/** Who is logged in here, shared by all tabs of this browser: the token in a cookie, its scopes in local storage. */
export class SessionStore {
  #state: SessionState = remembered()
  #isRemembered = true
  readonly #watchers = new Set<() => void>()

  /** Whether the session is older than this page: its scopes may be out of date. */
  get isRemembered(): boolean {
    return this.#isRemembered
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
    localStorage.setItem(storageKey, JSON.stringify(scopes))
    this.#become({ loggedIn: true, scopes })
  }

  end(ended: Ending): void {
    forgetToken()
    localStorage.removeItem(storageKey)
    this.#become({ loggedIn: false, scopes: [], ended })
  }

  /** Another tab logged in or out. */
  followOtherTabs(): () => void {
    const follow = ({ key }: StorageEvent) => {
      if (key !== null && key !== storageKey) return
      const now = remembered()
      this.#become(now.loggedIn || !this.#state.loggedIn ? now : { ...now, ended: 'loggedOut' })
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }

  #become(state: SessionState): void {
    this.#state = state
    for (const watcher of this.#watchers) watcher()
  }
}

function remembered(): SessionState {
  const stored = localStorage.getItem(storageKey)
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
