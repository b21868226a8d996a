import { getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useMemo, useSyncExternalStore } from 'react'
import { Emitter } from '../api/emitter.ts'
import { request } from '../api/request.ts'
import { browserStorage } from '../api/storage.ts'
import { getQueryKey, useApiQuery } from '../api/use-api.ts'
import { useSession } from './session.tsx'

interface Setting {
  readonly key: string
  readonly value: string
}

interface Preferences {
  /** Settings of the signed-in user; `undefined` until they are loaded, and without a signed-in user. */
  readonly settings: readonly Setting[] | undefined
  readonly isSignedIn: boolean
  readonly save: (key: string, value: string) => void
}

const PreferencesContext = createContext<Preferences | undefined>(undefined)

/** Loads the user's settings once for all preferences. */
export function PreferencesProvider({ children }: { children: ReactNode }) {
  const { isSignedIn } = useSession()
  const queries = useQueryClient()
  const { data } = useApiQuery(getUserSettings, {}, { enabled: isSignedIn, staleTime: Number.POSITIVE_INFINITY })
  const settings = isSignedIn ? data : undefined

  const save = useCallback(
    (key: string, value: string) => {
      saveLocally(key, value)
      if (!isSignedIn) return
      queries.setQueryData(getQueryKey(getUserSettings, {}), (current: readonly Setting[] = []) => [
        ...current.filter((setting) => setting.key !== key),
        { key, value },
      ])
      // A preference that the panel could not save stays in this browser: nothing the user must act on.
      void request(putUserSetting, { params: { key }, body: { value } }).catch(() => undefined)
    },
    [isSignedIn, queries],
  )
  const preferences = useMemo(() => ({ settings, isSignedIn, save }), [settings, isSignedIn, save])
  return <PreferencesContext value={preferences}>{children}</PreferencesContext>
}

/**
 * A preference as text: of the user (`/api/userSettings`) when signed in, else of this browser. A change is visible at
 * once, and stored in this browser until the panel has saved it. `fallbackToLocal` uses the browser's preference for
 * users who have none.
 */
export function usePreference(
  key: string,
  { fallbackToLocal = false }: { readonly fallbackToLocal?: boolean } = {},
): readonly [string | undefined, (value: string) => void] {
  const preferences = use(PreferencesContext)
  if (!preferences) throw new Error('usePreference needs a PreferencesProvider')
  const { settings, isSignedIn, save } = preferences
  const local = useSyncExternalStore(subscribeToLocal, () => browserStorage.get(storageKey(key)) ?? undefined)
  const own = settings?.find((setting) => setting.key === key)?.value
  const canUseLocal = !isSignedIn || fallbackToLocal || settings === undefined

  const setValue = useCallback((value: string) => save(key, value), [key, save])
  return [own ?? (canUseLocal ? local : undefined), setValue]
}

const storageKey = (key: string) => `innkeeper.preference.${key}`
const savedLocally = new Emitter()

function saveLocally(key: string, value: string): void {
  browserStorage.set(storageKey(key), value)
  savedLocally.emit()
}

function subscribeToLocal(listener: () => void): () => void {
  const unsubscribe = savedLocally.on(listener)
  window.addEventListener('storage', listener)
  return () => {
    unsubscribe()
    window.removeEventListener('storage', listener)
  }
}

/** A preference that is a list or object as JSON. A value that `parse` rejects with `undefined` counts as `fallback`. */
export function useJsonPreference<T>(
  key: string,
  parse: (value: unknown) => T | undefined,
  fallback: T,
): readonly [T, (value: T) => void] {
  const [text, setText] = usePreference(key)
  const value = text === undefined ? undefined : parse(parseJson(text))
  const setValue = useCallback((next: T) => setText(JSON.stringify(next)), [setText])
  return [value ?? fallback, setValue]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Written by an older release or another program: it counts as not set.
    return undefined
  }
}

const noServers: readonly string[] = []

function parseIds(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : undefined
}

/** The ids of the servers that the user pinned. */
export function usePinnedServers() {
  const [pinned, setPinned] = useJsonPreference('pinnedServers', parseIds, noServers)
  const toggle = useCallback(
    (id: string) => setPinned(pinned.includes(id) ? pinned.filter((other) => other !== id) : [...pinned, id]),
    [pinned, setPinned],
  )
  return { pinned, toggle }
}
