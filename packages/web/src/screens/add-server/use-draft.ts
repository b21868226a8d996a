import { useCallback, useEffect, useState } from 'react'
import { draftKey, dropDraft, readDraft as readStored, storeDraft } from '../../forms/draft-storage.ts'
import { useSession } from '../../session/session.tsx'
import { type EditDraft, emptyDraft, type ServerDraft } from './draft.ts'

const getKey = (userId: number) => draftKey(userId, 'add-server')

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
    if (userId !== undefined && draft !== emptyDraft) storeDraft(getKey(userId), { saved: {}, edits: { ...draft } })
  }, [state])
  const clear = useCallback(() => {
    if (userId !== undefined) dropDraft(getKey(userId))
  }, [userId])
  return { draft: state.draft, edit, clear }
}

function readDraft(userId: number | undefined): ServerDraft {
  const stored = userId === undefined ? undefined : readStored(getKey(userId))
  return stored ? { ...emptyDraft, ...stored.edits } : emptyDraft
}
