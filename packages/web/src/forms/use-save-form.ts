import isEqual from 'fast-deep-equal'
import { type RefObject, useEffect, useRef } from 'react'
import { useShortcut } from '../hotkeys/hotkeys.tsx'
import { useT } from '../i18n/i18n.tsx'
import { type Field, pick } from './merge.ts'
import { useUnsavedChanges } from './unsaved-changes.tsx'
import { type FormDraft, type FormDraftOptions, type Saved, useFormDraft } from './use-form-draft.ts'
import { type Edit, type FormFailure, type SaveOptions, useSave } from './use-save.ts'
import { useStoredDraft } from './use-stored-draft.ts'
import type { FieldErrors } from './validation.ts'

export type { Edit, Saved }

export interface SaveFormOptions<V extends object, T = string, R = unknown>
  extends FormDraftOptions<V>,
    SaveOptions<V, T, R> {
  /** Unique name of the form in the app (`node-3`). With it the draft survives an expired session. */
  readonly id?: string
  readonly saved: Saved<V, T>
  /** Whether a field may hold a secret, so that its draft is not written to the browser's storage. */
  readonly isPrivate?: (field: Field<V>) => boolean
  /** How a value is shown where both versions of a conflict are compared. */
  readonly formatValue?: (field: Field<V>, value: unknown) => string
}

/**
 * A form over values that are saved on the server. Edits survive a save, a refetch, an expired session and a conflict:
 * only what was sent becomes saved, newer data replaces untouched fields only, and an edited field that someone else
 * changed is shown with both versions.
 */
export function useSaveForm<V extends object, T = string, R = unknown>(options: SaveFormOptions<V, T, R>) {
  const { id, saved, isPrivate, getLabel, formatValue } = options
  const t = useT()
  const root = useRef<HTMLFormElement>(null)
  const draft = useFormDraft<V, T>(saved, options)
  const { form, base, edited, set, getBase, getEdited } = draft

  const storable = edited.filter((field) => !draft.hidden.includes(field) && isPrivate?.(field) !== true)
  const stored = useStoredDraft({
    id,
    draft: { saved: pick(base.values, storable), edits: pick(form.values, storable) },
    current: base.values as Record<string, unknown>,
  })
  const { save, sendTo, isSaving, failure, clearFailure } = useSave(draft, root, options, stored.drop)
  useRebase(saved, isSaving, draft.rebaseOn)

  const discard = () => {
    draft.reset()
    clearFailure()
    stored.drop()
  }
  useShortcut('mod+s', () => void save())
  useUnsavedChanges({ isDirty: () => getEdited().length > 0, onDiscard: discard })

  const format = (field: Field<V>, value: unknown): string => {
    if (formatValue) return formatValue(field, value)
    return typeof value === 'boolean' ? t(value ? 'common.On' : 'common.Off') : String(value)
  }
  return {
    root,
    values: form.values,
    errors: form.errors as FieldErrors<V>,
    saved: base.values,
    /** The fields that differ from what is saved. */
    edited,
    isDirty: edited.length > 0,
    /** `isDirty` outside of rendering. */
    isDirtyNow: () => getEdited().length > 0,
    isSaving,
    failure,
    revision: draft.revision,
    save,
    sendTo,
    discard,
    set,
    ...getFieldProps(draft),
    conflicts: base.conflicts.map<Conflict>((field) => ({
      field,
      label: getLabel(field, form.values),
      mine: format(field, form.values[field]),
      theirs: format(field, base.values[field]),
    })),
    /** Ends a conflict with one of the two versions; the user's own is then still to be saved. */
    resolve: (winner: 'mine' | 'theirs') => {
      const { values, conflicts } = getBase()
      draft.setConflicts([])
      if (winner === 'theirs') set(pick(values, conflicts))
    },
    storedDraft: stored.offered,
    /** Applies a draft of an earlier session; fields that were changed by someone else since are conflicts. */
    restoreDraft: () => {
      const { saved: before, edits } = stored.offered ?? { saved: {}, edits: {} }
      const current = getBase().values
      const known = Object.fromEntries(
        Object.entries(edits).filter(([field, value]) => typeof value === typeof current[field as Field<V>]),
      ) as Partial<V>
      const conflicts = (Object.keys(known) as Field<V>[]).filter(
        (field) => !isEqual(current[field], (before as Partial<V>)[field]) && !isEqual(current[field], known[field]),
      )
      set(known)
      draft.setConflicts(conflicts)
      stored.dismiss()
    },
    dismissDraft: stored.dismiss,
  }
}

/** Rebases the draft when newer values were read, but not while a save is under way. */
function useRebase<V, T>(saved: Saved<V, T>, isSaving: boolean, rebaseOn: (latest: Saved<V, T>) => void): void {
  const latest = useRef(saved)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rebaseOn` is another function at every render
  useEffect(() => {
    if (isSaving || isEqual(saved, latest.current)) return
    latest.current = saved
    rebaseOn(saved)
  }, [saved, isSaving])
}

/** The form returned for values of this type. */
export type SaveFormOf<V extends object> = ReturnType<typeof useSaveForm<V>>

/** An edited field that someone else changed too. */
export interface Conflict {
  readonly field: string
  readonly label: string
  readonly mine: string
  readonly theirs: string
}

/** The part of a form that does not depend on its values, for `SaveForm` and `SaveBar`. */
export interface FormState {
  readonly root: RefObject<HTMLFormElement | null>
  readonly edited: readonly string[]
  readonly isDirty: boolean
  readonly isSaving: boolean
  readonly failure: FormFailure | undefined
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  readonly conflicts: readonly Conflict[]
  readonly resolve: (winner: 'mine' | 'theirs') => void
  /** A draft of an earlier session. */
  readonly storedDraft: object | undefined
  readonly restoreDraft: () => void
  readonly dismissDraft: () => void
}

type ChangeOf<T> = T | { readonly currentTarget: { readonly value: string } }

function toValue<T>(change: ChangeOf<T>): T {
  const isEvent = typeof change === 'object' && change !== null && 'currentTarget' in change
  return (isEvent ? (change.currentTarget as HTMLInputElement).value : change) as T
}

/** Props that connect inputs with the draft of a form. */
function getFieldProps<V extends object, T>({ form, set, getEdited }: FormDraft<V, T>) {
  return {
    /** For an input, which reports an event, or the value itself as a `Select` does. */
    field: <F extends Field<V>>(field: F) => ({
      'data-path': field,
      value: form.values[field],
      error: form.errors[field],
      onChange: (change: ChangeOf<V[F]>) => set({ [field]: toValue<V[F]>(change) } as unknown as Partial<V>),
      // An untouched field shows no error on blur.
      onBlur: () => {
        if (getEdited().includes(field)) void form.validateField(field)
      },
    }),
    /** The same for a switch. */
    toggle: <F extends Field<V>>(field: F) => ({
      'data-path': field,
      checked: form.values[field] === true,
      error: form.errors[field],
      onChange: ({ currentTarget: { checked } }: { currentTarget: { checked: boolean } }) =>
        set({ [field]: checked } as unknown as Partial<V>),
    }),
  }
}
