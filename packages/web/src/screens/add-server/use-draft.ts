import { useCallback, useEffect, useState } from 'react'
import { type Draft, emptyDraft } from './draft.ts'

const storageKey = 'innkeeper.addServer'

/** The draft of this tab; it survives a reload and a lost session. */
export function useDraft() {
  const [draft, setDraft] = useState(remembered)
  const change = useCallback((changed: (before: Draft) => Draft) => setDraft(changed), [])
  useEffect(() => {
    if (draft !== emptyDraft) sessionStorage.setItem(storageKey, JSON.stringify(draft))
  }, [draft])
  const forget = useCallback(() => sessionStorage.removeItem(storageKey), [])
  return { draft, change, forget }
}

function remembered(): Draft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
    return typeof stored === 'object' && stored !== null ? { ...emptyDraft, ...stored } : emptyDraft
  } catch {
    // Nothing of ours: begin anew.
    return emptyDraft
  }
}
