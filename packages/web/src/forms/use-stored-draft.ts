import isEqual from 'fast-deep-equal'
import { useEffect, useRef, useState } from 'react'
import { tabStorage } from '../api/storage.ts'
import { useSession } from '../session/session.tsx'

export interface StoredDraftOptions {
  /** Unique name of the form in the app: `node-3`. Without it nothing is stored. */
  readonly id: string | undefined
  /** What is unsaved now. */
  readonly draft: StoredDraft
  /** The values as saved: a stored draft that equals them is not offered. */
  readonly current: Readonly<Record<string, unknown>>
}

/**
 * Stores unsaved edits in the session storage of this tab under the user's id, so that they survive an expired session,
 * and offers them when the same user opens the form again.
 */
export function useStoredDraft({ id, draft, current }: StoredDraftOptions) {
  const userId = useSession().self?.id
  const key = userId === undefined || id === undefined ? undefined : draftKey(userId, id)
  const [offered, setOffered] = useState<StoredDraft>()
  const readKey = useRef<string>(undefined)

  useEffect(() => {
    if (key === undefined) return
    if (readKey.current !== key) {
      readKey.current = key
      const stored = readDraft(key)
      const isDifferent = stored && Object.entries(stored.edits).some(([name, value]) => !isEqual(value, current[name]))
      if (isDifferent) return setOffered(stored)
    }
    // An offered draft stays in the storage until the user has decided.
    if (offered) return
    if (Object.keys(draft.edits).length > 0) storeDraft(key, draft)
    else dropDraft(key)
  }, [key, draft, current, offered])

  return {
    /** A draft from an earlier session of this user, until it is restored or dismissed. */
    offered,
    /** Ends the offer. The stored draft is removed unless the form has been filled with it. */
    dismiss: () => setOffered(undefined),
    /** Removes the stored draft, as when the user leaves without saving. */
    drop: () => {
      if (key !== undefined && !offered) dropDraft(key)
    },
  }
}

/** Edits that were not saved, and the values they started from. */
export interface StoredDraft {
  readonly saved: Readonly<Record<string, unknown>>
  readonly edits: Readonly<Record<string, unknown>>
}

/** The storage key of a form's draft. It holds the user's id, so that no other user gets the draft. */
export const draftKey = (userId: number, form: string): string => `innkeeper.form.${userId}.${form}`

/** Stores a draft until this tab is closed. */
export function storeDraft(key: string, draft: StoredDraft): void {
  tabStorage.replace(key, JSON.stringify(draft))
}

export function readDraft(key: string): StoredDraft | undefined {
  try {
    const draft: unknown = JSON.parse(tabStorage.get(key) ?? 'null')
    return isStoredDraft(draft) ? draft : undefined
  } catch {
    // Written by another version of the app.
    return undefined
  }
}

export function dropDraft(key: string): void {
  tabStorage.remove(key)
}

function isStoredDraft(value: unknown): value is StoredDraft {
  return isRecord(value) && isRecord(value.saved) && isRecord(value.edits)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
