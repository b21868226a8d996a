import { useCallback, useEffect, useState } from 'react'
import { tabStorage } from '../../api/storage.ts'
import { useSession } from '../../session/session.tsx'
import { type Draft, type EditDraft, emptyDraft } from './draft.ts'

const getStorageKey = (userId: number) => `innkeeper.addServer.${userId}`

/** The draft of the user in this tab. It survives a reload and an expired session. */
export function useDraft() {
  const userId = useSession().self?.id
  const [state, setState] = useState(() => ({ userId, draft: readDraft(userId) }))
  if (state.userId !== userId) {
    // Edits from before the user was loaded belong to that user; those of another user do not.
    const keepsEdits = state.userId === undefined && state.draft !== emptyDraft
    setState({ userId, draft: keepsEdits ? state.draft : readDraft(userId) })
  }
  const edit = useCallback<EditDraft>(
    (update) => setState((before) => ({ ...before, draft: update(before.draft) })),
    [],
  )
  useEffect(() => {
    const { userId, draft } = state
    if (userId !== undefined && draft !== emptyDraft) tabStorage.replace(getStorageKey(userId), JSON.stringify(draft))
  }, [state])
  const clear = useCallback(() => {
    if (userId !== undefined) tabStorage.remove(getStorageKey(userId))
  }, [userId])
  return { draft: state.draft, edit, clear }
}

function readDraft(userId: number | undefined): Draft {
  if (userId === undefined) return emptyDraft
  try {
    const stored: unknown = JSON.parse(tabStorage.get(getStorageKey(userId)) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return emptyDraft
    // Older releases stored the usernames as one text.
    const users = 'users' in stored && Array.isArray(stored.users) ? stored.users : []
    return { ...emptyDraft, ...stored, users }
  } catch {
    // Not JSON: start with an empty draft.
    return emptyDraft
  }
}
