/** `localStorage` or `sessionStorage` without exceptions: a browser may block storage, or it may be full. */
class BrowserStorage {
  readonly #open: () => Storage

  /** Reading `window.localStorage` throws where storage is blocked, so it is opened at each use. */
  constructor(open: () => Storage) {
    this.#open = open
  }

  get(key: string): string | null {
    return this.#attempt((storage) => storage.getItem(key)) ?? null
  }

  /** Returns whether the value was written. If not, the previous value stays. */
  set(key: string, value: string): boolean {
    const written = this.#attempt((storage) => {
      storage.setItem(key, value)
      return true
    })
    return written ?? false
  }

  /** Writes a value, or removes the previous one if there is no room: for drafts, where an older one misleads. */
  replace(key: string, value: string): void {
    if (!this.set(key, value)) this.remove(key)
  }

  remove(key: string): void {
    this.#attempt((storage) => storage.removeItem(key))
  }

  keys(): readonly string[] {
    return this.#attempt((storage) => Object.keys(storage)) ?? []
  }

  #attempt<T>(use: (storage: Storage) => T): T | undefined {
    try {
      return use(this.#open())
    } catch {
      // The app works without storage; values are then lost on reload.
      return undefined
    }
  }
}

/** `localStorage`: shared by all tabs of this browser. */
export const browserStorage = new BrowserStorage(() => window.localStorage)
/** `sessionStorage`: of this tab, until it is closed. */
export const tabStorage = new BrowserStorage(() => window.sessionStorage)
