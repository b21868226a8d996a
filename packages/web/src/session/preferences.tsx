import { getUserSettings, putUserSetting } from '@innkeeper/contract/panel'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { request } from '../api/request.ts'
import { browserStorage } from '../api/storage.ts'
import { getQueryKey, useApiQuery } from '../api/use-api-query.ts'
import { useSession } from './session.tsx'

const changed = 'innkeeper:preference'
const storageKey = (key: string) => `innkeeper.preference.${key}`

/**
 * A preference as text: the person's own (`/api/userSettings`) when logged in, this browser's otherwise. A change shows
 * at once and is remembered here until the panel has it. `orThisBrowsers` keeps the browser's for people who have not
 * chosen for themselves.
 */
export function usePreference(
  key: string,
  { orThisBrowsers = false }: { readonly orThisBrowsers?: boolean } = {},
): readonly [string | undefined, (value: string) => void] {
  const { loggedIn } = useSession()
  const queries = useQueryClient()
  const stored = useApiQuery(getUserSettings, {}, { enabled: loggedIn, staleTime: Number.POSITIVE_INFINITY })
  const local = useSyncExternalStore(watch, () => browserStorage.get(storageKey(key)) ?? undefined)
  const own = loggedIn ? stored.data?.find((setting) => setting.key === key)?.value : undefined
  const isOurs = !loggedIn || orThisBrowsers || stored.data === undefined

  const change = useCallback(
    (value: string) => {
      browserStorage.set(storageKey(key), value)
      window.dispatchEvent(new Event(changed))
      if (!loggedIn) return
      queries.setQueryData(
        getQueryKey(getUserSettings, {}),
        (settings: { key: string; value: string }[] | undefined) => [
          ...(settings ?? []).filter((setting) => setting.key !== key),
          { key, value },
        ],
      )
      // What the panel does not keep stays in this browser: nothing a person must act on.
      void request(putUserSetting, { params: { key }, body: { value } }).catch(() => undefined)
    },
    [key, loggedIn, queries],
  )
  return [own ?? (isOurs ? local : undefined), change]
}

function watch(watcher: () => void): () => void {
  window.addEventListener(changed, watcher)
  window.addEventListener('storage', watcher)
  return () => {
    window.removeEventListener(changed, watcher)
    window.removeEventListener('storage', watcher)
  }
}

/** A preference that holds a list or object as JSON; what cannot be read counts as `otherwise`. */
export function useJsonPreference<T>(
  key: string,
  read: (value: unknown) => T | undefined,
  otherwise: T,
): readonly [T, (value: T) => void] {
  const [text, change] = usePreference(key)
  const value = text === undefined ? undefined : read(parsed(text))
  const changeTo = useCallback((next: T) => change(JSON.stringify(next)), [change])
  return [value ?? otherwise, changeTo]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An older release or another program wrote it: it counts as not set.
    return undefined
  }
}

const noServers: readonly string[] = []

function idsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : undefined
}

/** The servers a person keeps at hand, by id. */
export function usePinnedServers() {
  const [pinned, setPinned] = useJsonPreference('pinnedServers', idsIn, noServers)
  const toggle = useCallback(
    (id: string) => setPinned(pinned.includes(id) ? pinned.filter((other) => other !== id) : [...pinned, id]),
    [pinned, setPinned],
  )
  return { pinned, toggle }
}
