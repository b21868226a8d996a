import { useT } from '../i18n/i18n.tsx'
import { toast } from '../ui/toast.tsx'
import type { StoredDraft } from './draft-storage.ts'
import { type UnsavedChanges, useUnsavedChanges } from './unsaved-changes.tsx'
import { type SaveOptions, useSave } from './use-save.ts'
import { type StoredDraftOptions, useStoredDraft } from './use-stored-draft.ts'

export interface SaveDraftOptions<E, R, P> extends Omit<SaveOptions<E, R, P>, 'onSaved'> {
  readonly isDirty: () => boolean
  /** Drops what is unsaved. */
  readonly reset: () => void
  /** When leaving asks, and how. */
  readonly guard?: Pick<UnsavedChanges, 'lostOn' | 'confirm'> | undefined
  /** Stores what is unsaved, in case that the session ends. Absent if it is stored in another way. */
  readonly stored?: StoredDraftOptions
  /** Takes over what an earlier session left unsaved. */
  readonly restore?: (draft: StoredDraft) => void
  /** Shows a message or navigates; `isClean` unless something was edited during the save. Without it a toast says "Saved". */
  readonly onSaved?: ((result: R, isClean: boolean, edit: E) => unknown) | undefined
}

const notStored: StoredDraftOptions = { id: undefined, draft: { saved: {}, edits: {} }, current: {} }

/** Saves a draft (`useSave`) that is not lost by leaving the page or by the end of the session. */
export function useSaveDraft<E, R, P = undefined>(options: SaveDraftOptions<E, R, P>) {
  const { isDirty, reset, guard, restore, onSaved } = options
  const t = useT()
  const stored = useStoredDraft(options.stored ?? notStored)
  const saving = useSave<E, R, P>({
    ...options,
    onSaved: (result, edit) => {
      const isClean = !isDirty()
      if (isClean) stored.drop()
      return onSaved ? onSaved(result, isClean, edit) : toast.success(t('common.Saved'))
    },
  })
  const discard = () => {
    reset()
    saving.clearFailure()
    stored.drop()
  }
  useUnsavedChanges({ ...guard, isDirty, onDiscard: discard })
  return {
    ...saving,
    discard,
    storedDraft: stored.offered,
    restoreDraft: () => {
      if (stored.offered) restore?.(stored.offered)
      stored.dismiss()
    },
    dismissDraft: stored.dismiss,
  }
}
