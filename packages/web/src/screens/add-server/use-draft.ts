import { useCallback, useEffect, useState } from 'react'
import { tabStorage } from '../../api/storage.ts'
import { useSession } from '../../session/session.tsx'
import { type Draft, emptyDraft } from './draft.ts'

const keyOf = (userId: number) => `innkeeper.addServer.${userId}`

/** The draft of this person in this tab; it survives a reload and a lost session. */
export function useDraft() {
  const userId = useSession().self?.id
  const [edited, setEdited] = useState(() => ({ userId, draft: storedDraft(userId) }))
  if (edited.userId !== userId) {
    // What was chosen before the panel has said who chooses is theirs.
    const isTheirs = edited.userId === undefined && edited.draft !== emptyDraft
    setEdited({ userId, draft: isTheirs ? edited.draft : storedDraft(userId) })
  }
  const change = useCallback(
    (changed: (before: Draft) => Draft) =>
      setEdited((before) => ({ userId: before.userId, draft: changed(before.draft) })),
    [],
  )
  useEffect(() => {
    const { userId, draft } = edited
    if (userId !== undefined && draft !== emptyDraft) tabStorage.replace(keyOf(userId), JSON.stringify(draft))
  }, [edited])
  const forget = useCallback(() => {
    if (userId !== undefined) tabStorage.remove(keyOf(userId))
  }, [userId])
  return { draft: edited.draft, change, forget }
}

function storedDraft(userId: number | undefined): Draft {
  if (userId === undefined) return emptyDraft
  try {
    const stored: unknown = JSON.parse(tabStorage.get(keyOf(userId)) ?? 'null')
    return typeof stored === 'object' && stored !== null ? { ...emptyDraft, ...stored } : emptyDraft
  } catch {
    // Nothing of ours: begin anew.
    return emptyDraft
  }
}
