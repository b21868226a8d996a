import { useCallback, useEffect, useState } from 'react'
import { draftKey, dropDraft, readDraft, storeDraft } from '../../forms/use-stored-draft.ts'
import { useSession } from '../../session/session.tsx'
import { type EditDraft, emptyDraft, type ServerDraft } from './draft.ts'

const getKey = (userId: number) => draftKey(userId, 'add-server')

/** The draft of the user in this tab. It survives a reload and an expired session. */
export function useDraft() {
  const userId = useSession().self?.id
  const [state, setState] = useState(() => readState(userId))
  if (state.userId !== userId) {
    // Edits from before the user was loaded belong to that user; those of another user do not.
    const keepsEdits = state.userId === undefined && state.draft !== emptyDraft
    setState(keepsEdits ? { ...state, userId } : readState(userId))
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
  return {
    draft: state.draft,
    edit,
    clear,
    /** Whether the draft was started earlier, which the user may not expect. */
    isRestored: state.isRestored,
    closeNotice: () => setState((before) => ({ ...before, isRestored: false })),
    /** Starts over. */
    discard: () => {
      clear()
      setState({ userId, draft: emptyDraft, isRestored: false })
    },
  }
}

interface DraftState {
  readonly userId: number | undefined
  readonly draft: ServerDraft
  readonly isRestored: boolean
}

function readState(userId: number | undefined): DraftState {
  const stored = userId === undefined ? undefined : readDraft(getKey(userId))
  const draft = stored ? { ...emptyDraft, ...stored.edits } : emptyDraft
  // A template that was clicked on is selected again without a word.
  return { userId, draft, isRestored: draft.name.trim() !== '' }
}
