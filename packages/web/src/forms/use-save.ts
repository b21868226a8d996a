import { useRef, useState } from 'react'
import { isRefusal } from '../api/request.ts'
import { useShortcut } from '../hotkeys/use-shortcut.ts'
import { useT } from '../i18n/i18n.tsx'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { toast } from '../ui/toasts/toast.tsx'
import { type UnsavedChanges, useUnsavedChanges } from './unsaved-changes.tsx'
import { type StoredDraft, type StoredDraftOptions, useStoredDraft } from './use-stored-draft.ts'

/** `E` is what is sent, `R` the response, `P` a part of the page's edits that can be saved alone. */
export interface SaveOptions<E, R, P> {
  /**
   * What is to be sent now: everything that was edited, or only this part. `undefined` when that is nothing, or when it
   * is invalid or in conflict, which the function then shows.
   */
  readonly getEdit: (part?: P) => E | undefined
  /** The element with everything that belongs to it. */
  readonly getRoot: () => Element | null | undefined
  /** Whether something is unsaved now, also outside of rendering. */
  readonly isDirty: () => boolean
  /** Drops what is unsaved. */
  readonly reset: () => void
  /** When leaving asks, and how. */
  readonly guard?: Pick<UnsavedChanges, 'lostOn' | 'confirm'> | undefined
  /** Stores what is unsaved, in case that the session ends. Absent if it is stored in another way. */
  readonly stored?: StoredDraftOptions
  /** Takes over what an earlier session left unsaved. */
  readonly restore?: (draft: StoredDraft) => void
  /** Why an edit cannot be sent, for a message above the fields. */
  readonly validate?: (edit: E) => string | undefined
  /** Resolves with whether to save after all. */
  readonly confirm?: ((edit: E) => Promise<boolean>) | undefined
  readonly send: (edit: E) => Promise<R>
  /** Takes what was sent as saved. What was edited since then stays unsaved. */
  readonly markSaved?: (edit: E, result: R) => void
  /** Takes over what another user saved since, after a save was refused as stale. Then `getEdit` is called again. */
  readonly rebase?: ((refusal: unknown) => Promise<void>) | undefined
  /** Shows a message or navigates; `isClean` unless something was edited during the save. Without it a toast says "Saved". */
  readonly onSaved?: ((result: R, isClean: boolean, edit: E) => unknown) | undefined
  /** Shows an error at its field; returns the message of one that is about no field. */
  readonly showError: (error: unknown) => string | undefined
}

/** Why the last attempt failed, unless a field shows it. */
export interface Failure {
  readonly error: unknown
  readonly message: string
}

/** How often a save that was refused as stale is sent again. */
const staleRetries = 3

const notStored: StoredDraftOptions = { id: undefined, draft: { saved: {}, edits: {} }, current: {} }

/**
 * Saves a value of any type, also with Ctrl+S: one request at a time, and again on top of newer saved values. What is unsaved is
 * not lost by leaving the page or by the end of the session. It is what all forms have in common; see `useSaveForm` for values with fields, `useSaveDocument` for values that are saved as a
 * whole, and `useSubmitForm` for what is sent once.
 */
export function useSave<E, R = unknown, P = undefined>(options: SaveOptions<E, R, P>) {
  // An attempt goes on for some renders: it takes the functions of the latest one.
  const latest = useLatest(options)
  const t = useT()
  const stored = useStoredDraft(options.stored ?? notStored)
  const latestStored = useLatest(stored)
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const pending = useRef<{ readonly work: unknown; readonly ended: Promise<boolean> }>(undefined)

  const getValidEdit = (part: P | undefined): E | undefined => {
    const edit = latest.current.getEdit(part)
    const message = edit && latest.current.validate?.(edit)
    if (message === undefined) return edit
    setFailure({ error: undefined, message })
    return undefined
  }
  const sendLatest = async (part: P | undefined): Promise<{ readonly result: R; readonly edit: E } | undefined> => {
    for (let attempt = 1; ; attempt += 1) {
      let edit = getValidEdit(part)
      const { confirm } = latest.current
      // The answer to the question may be a part of what is sent.
      if (edit !== undefined && attempt === 1 && confirm) edit = (await confirm(edit)) ? getValidEdit(part) : undefined
      if (edit === undefined) return undefined
      setIsSaving(true)
      try {
        const result = await latest.current.send(edit)
        latest.current.markSaved?.(edit, result)
        return { result, edit }
      } catch (error) {
        const { rebase } = latest.current
        if (!isRefusal(error, 'ErrStaleVersion') || !rebase || attempt > staleRetries) throw error
        await rebase(error)
      }
    }
  }
  /** Runs work that ends with a save; shows its error. */
  const attempt = async <T>(work: () => Promise<T | undefined>): Promise<T | undefined> => {
    setFailure(undefined)
    try {
      return await work()
    } catch (error) {
      const message = latest.current.showError(error)
      if (message !== undefined) setFailure({ error, message })
      return undefined
    } finally {
      setIsSaving(false)
    }
  }
  const run = async (part: P | undefined): Promise<boolean> => {
    const saved = await attempt(() => sendLatest(part))
    if (!saved) return false
    const { isDirty, onSaved } = latest.current
    const isClean = !isDirty()
    if (isClean) latestStored.current.drop()
    if (onSaved) await onSaved(saved.result, isClean, saved.edit)
    else toast.success(t('common.Saved'))
    return true
  }
  const runWith = async (work: () => Promise<unknown>): Promise<boolean> => {
    await attempt(async () => {
      setIsSaving(true)
      await work()
    })
    return false
  }
  /** The same work is not started twice; other work waits until the current one has ended. */
  const oneAtATime = (work: unknown, start: () => Promise<boolean>): Promise<boolean> => {
    const current = pending.current
    if (current && current.work === work) return current.ended
    const started = current ? current.ended.then(start, start) : start()
    const ended: Promise<boolean> = started.finally(() => {
      if (pending.current?.ended === ended) pending.current = undefined
    })
    pending.current = { work, ended }
    return ended
  }

  const save = (part?: P) => oneAtATime(part, () => run(part))
  useShortcut('mod+s', () => {
    const { getRoot, isDirty } = latest.current
    if (isMeantByShortcut(getRoot(), isDirty())) void save()
  })
  const clearFailure = () => setFailure(undefined)
  const discard = () => {
    options.reset()
    clearFailure()
    stored.drop()
  }
  useUnsavedChanges({ ...options.guard, isDirty: options.isDirty, onDiscard: discard })
  return {
    isSaving,
    failure,
    clearFailure,
    /** Saves what was edited; resolves with whether it is saved. While it is being saved this waits for it. */
    save,
    /** Sends something else with the same rules: a test of what was entered. */
    run: (work: () => Promise<unknown>) => oneAtATime(runWith, () => runWith(work)),
    discard,
    storedDraft: stored.offered,
    restoreDraft: () => {
      if (stored.offered) options.restore?.(stored.offered)
      stored.dismiss()
    },
    dismissDraft: stored.dismiss,
  }
}

/**
 * Whether Ctrl+S means this form: it has the focus, or its dialog has. With the focus in no form, all that are dirty are
 * saved, but none behind a dialog.
 */
function isMeantByShortcut(root: Element | null | undefined, isDirty: boolean): boolean {
  const focused = document.activeElement
  if (root?.contains(focused)) return true
  if (focused?.closest('form')) return false
  const dialog = focused?.closest('[role="dialog"]')
  return dialog ? root !== undefined && dialog.contains(root) : isDirty
}
