import { useId, useRef } from 'react'
import { isRefusal } from '../api/request.ts'
import { useT } from '../i18n/i18n.tsx'
import { errorMessage } from '../ui/text/error-message.ts'
import { useLatestState } from './use-latest-state.ts'
import { type SaveOptions, useSave } from './use-save.ts'
import type { StoredDraft } from './use-stored-draft.ts'

/** `E` is what is sent, `T` its version, `L` what another user saved since, `P` something else that may be sent. */
export interface SaveDocumentOptions<E, T, L extends { readonly version: T }, P>
  extends Omit<
    SaveOptions<E, T, P>,
    'getEdit' | 'getRoot' | 'send' | 'markSaved' | 'rebase' | 'restore' | 'showError'
  > {
  /** The version that was read. */
  readonly version: T
  /**
   * What is to be sent now: what was edited, or `part`. `undefined` when that is nothing, unless it replaces what another
   * user saved, or when it is invalid, which the function shows.
   */
  readonly getEdit: (part: P | undefined, replacesTheirs: boolean) => E | undefined
  /** Saves an edit unless another version than this one is saved (`ErrStaleVersion`). Resolves with the new version. */
  readonly send: (edit: E, version: T) => Promise<T>
  /** Takes what was sent as saved. What was edited since then stays unsaved. */
  readonly markSaved: (edit: E, version: T) => void
  /** Reads what is saved now, after a save was refused as stale. */
  readonly reload: (refusal: unknown) => Promise<L>
  /** Shows what is saved in place of what was edited. */
  readonly replace: (latest: L) => void
  /** Takes over what an earlier session left unsaved. Returns what is saved now if that is another version since. */
  readonly restore?: (draft: StoredDraft, version: T) => L | undefined
  /** The message of an error, instead of its own. */
  readonly getMessage?: (error: unknown) => string | undefined
}

interface Base<T, L, P> {
  readonly version: T
  /** What another user saved since, until the user has chosen a version, and what was to be saved. */
  readonly conflict?: { readonly latest: L; readonly part: P | undefined } | undefined
  /** The user has chosen to replace what another one saved. */
  readonly replacesTheirs?: boolean
}

/**
 * Saves a document as a whole, such as a text: edits survive a save, an expired session and a conflict, of which the
 * user sees both versions. For values with fields, which are merged, see `useSaveForm`.
 */
export function useSaveDocument<E, T, L extends { readonly version: T }, P = undefined>(
  options: SaveDocumentOptions<E, T, L, P>,
) {
  const { getEdit, send, markSaved, reload, reset, replace, restore, getMessage } = options
  const t = useT()
  const conflictId = useId()
  const [{ conflict }, setBase, getBase] = useLatestState<Base<T, L, P>>({ version: options.version })
  const root = useRef<HTMLDivElement>(null)
  const lastPart = useRef<P>(undefined)
  const endConflict = () => setBase(({ version }) => ({ version }))
  const setConflict = (latest: L) =>
    setBase(({ version }) => ({ version, conflict: { latest, part: lastPart.current } }))

  const saving = useSave<E, T, P>({
    ...options,
    getRoot: () => root.current,
    reset: () => {
      endConflict()
      reset()
    },
    getEdit: (part) => {
      const base = getBase()
      if (base.conflict) {
        document.getElementById(conflictId)?.focus()
        return undefined
      }
      lastPart.current = part
      return getEdit(part, base.replacesTheirs === true)
    },
    send: (edit) => send(edit, getBase().version),
    markSaved: (edit, version) => {
      setBase({ version })
      markSaved(edit, version)
    },
    rebase: async (refusal) => setConflict(await reload(refusal)),
    restore: (draft) => {
      const latest = restore?.(draft, getBase().version)
      if (latest) setConflict(latest)
    },
    showError: (error) =>
      isRefusal(error, 'ErrSessionTimedOut') ? undefined : (getMessage?.(error) ?? errorMessage(t, error)),
  })
  return {
    ...saving,
    /** For the element with the editor. */
    root,
    conflict,
    /** For `ConflictAlert`, which gets the focus when an unresolved conflict prevents a save. */
    conflictId,
    /** Ends the conflict with the user's own version: saves what was to be saved over the one that was shown. */
    keepMine: () => {
      const refused = getBase().conflict
      if (refused) setBase({ version: refused.latest.version, replacesTheirs: true })
      void saving.save(refused?.part)
    },
    /** Shows what is saved and drops what was edited. */
    takeTheirs: (latest: L) => {
      setBase({ version: latest.version })
      replace(latest)
      saving.clearFailure()
    },
    /** Ends the conflict without a choice: the next save finds it again. */
    keepEditing: endConflict,
  }
}
