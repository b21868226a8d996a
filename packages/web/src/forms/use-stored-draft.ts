import isEqual from 'fast-deep-equal'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '../session/session.tsx'
import { draftKey, dropDraft, readDraft, type StoredDraft, storeDraft } from './draft-storage.ts'

interface StoredDraftOptions {
  /** Names the form among all of the app: `node-3`. Without it nothing is kept. */
  readonly id: string | undefined
  /** What is unsaved now. */
  readonly draft: StoredDraft
  /** The values as saved: a kept draft that equals them is not offered. */
  readonly current: Readonly<Record<string, unknown>>
}

/**
 * Keeps unsaved edits in the session storage of this tab under the person's id, so that they survive a session that
 * ended, and offers them when the same person opens the form again.
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
      const isNews = stored && Object.entries(stored.edits).some(([name, value]) => !isEqual(value, current[name]))
      if (isNews) return setOffered(stored)
    }
    // What is offered stays in the storage until the person has decided.
    if (offered) return
    if (Object.keys(draft.edits).length > 0) storeDraft(key, draft)
    else dropDraft(key)
  }, [key, draft, current, offered])

  return {
    /** A draft from an earlier session of this person, until it is restored or dropped. */
    offered,
    /** Ends the offer; the kept draft goes unless the form has it by now. */
    endOffer: () => setOffered(undefined),
    /** Removes what is kept, as when a person chooses to leave without saving. */
    drop: () => {
      if (key !== undefined && !offered) dropDraft(key)
    },
  }
}
