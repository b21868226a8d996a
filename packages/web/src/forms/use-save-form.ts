import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import isEqual from 'fast-deep-equal'
import { type RefCallback, type RefObject, useCallback, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useT } from '../i18n/i18n.tsx'
import { applyError, type FieldByCode } from './apply-error.ts'
import { changedFields, type FieldName, pick } from './merge.ts'
import { type FormDraft, type FormDraftOptions, type Saved, useFormDraft } from './use-form-draft.ts'
import { type Failure, useSave } from './use-save.ts'
import type { StoredDraft } from './use-stored-draft.ts'
import type { FieldErrors } from './validation.ts'

export type { Saved }

/** What is to be saved. */
export interface Edit<V, T = string> {
  readonly values: V
  readonly changed: Partial<V>
  /** The version that the user saw, for `If-Match`. */
  readonly version: T | undefined
  /**
   * Some fields were saved by a request of their own: they are not sent again if another one fails. `version` is that of
   * the others.
   */
  readonly markSaved: (fields: readonly FieldName<V>[], version?: T) => void
}

export interface SaveFormOptions<V extends object, T = string, R = unknown> extends FormDraftOptions<V> {
  /** Unique name of the form in the app (`node-3`). With it the draft survives an expired session. */
  readonly id?: string
  readonly saved: Saved<V, T>
  /** Whether another field may hold a secret, so that its draft is not written to the browser's storage. */
  readonly isSecret?: (field: FieldName<V>) => boolean
  /** How a value is shown where both versions of a conflict are compared. */
  readonly formatValue?: (field: FieldName<V>, value: unknown) => string
  /** Reads what is saved now, after a save was refused as stale. */
  readonly reload?: () => Promise<Saved<V, T>>
  /** Sends an edit. An error it rejects with is shown at its field, or above the form. */
  readonly send: (edit: Edit<V, T>) => Promise<R>
  /** Shows a message or navigates; `isClean` unless something was edited during the save. Without it a toast says "Saved". */
  readonly onSaved?: (result: R, isClean: boolean) => unknown
  /** Resolves with whether to save after all. */
  readonly confirm?: (edit: Edit<V, T>) => Promise<boolean>
  /** The field's label in messages, instead of its name. */
  readonly getLabel?: (field: FieldName<V>, values: V) => string
  /** The field to show an error at, by its code. */
  readonly fieldByCode?: FieldByCode
  /** Messages for some codes instead of the catalog's. */
  readonly messages?: Partial<Record<RefusalCode, string>>
  /** Maps a field name of the request body to the form's. */
  readonly toField?: (name: string) => string
  /** "Failed saving": the message of an error without a meaning of its own. */
  readonly failure?: string | ((edited: readonly FieldName<V>[]) => string)
  /** Handles an error that changes the whole form. Returns whether it did. */
  readonly handleError?: (error: unknown) => boolean
  /** It can also be sent when nothing was edited: it creates something, or confirms what is proposed. */
  readonly allowUnchanged?: boolean
  /** Whether leaving asks about edits. Default: true. Choices that take a click each are not worth a question. */
  readonly isGuarded?: boolean
}

/**
 * A form over values that are saved on the server. Edits survive a save, a refetch, an expired session and a conflict:
 * only what was sent becomes saved, newer data replaces untouched fields only, and an edited field that someone else
 * changed is shown with both versions.
 */
export function useSaveForm<V extends object, T = string, R = unknown>(options: SaveFormOptions<V, T, R>) {
  const { id, saved, isSecret, formatValue, reload, send, confirm, onSaved, isGuarded = true } = options
  const t = useT()
  const root = useRef<HTMLElement>(null)
  const draft = useFormDraft<V, T>(saved, options)
  const { form, base, edited, set, getBase, getEdited } = draft

  const isDirtyNow = () => isGuarded && getEdited().length > 0
  const getLabel = (field: FieldName<V>) => options.getLabel?.(field, form.getValues()) ?? field
  const storable = edited.filter((field) => !draft.allSecrets.includes(field) && isSecret?.(field) !== true)
  const { run, ...saving } = useSave<MarkedEdit<V, T>, R, readonly FieldName<V>[]>({
    getRoot: () => root.current,
    isDirty: isDirtyNow,
    reset: draft.reset,
    stored: {
      id,
      draft: { saved: pick(base.values, storable), edits: pick(form.values, storable) },
      current: base.values as Record<string, unknown>,
    },
    restore: (stored) => restore(draft, stored),
    getEdit: (part) => {
      if (isBlocked(root)) return undefined
      const isSendable = options.allowUnchanged === true || getEdited().some((field) => part?.includes(field) ?? true)
      return isSendable && isValid(draft, root) ? getEdit(draft, root, part) : undefined
    },
    send: async (edit) => {
      // It was saved just now and not read again since, so others may have changed it.
      if (reload && edit.version === undefined && saved.version !== undefined) throw new Refusal('ErrStaleVersion')
      return await send(edit)
    },
    markSaved: ({ changed, values, marked }) => {
      const rest = (Object.keys(changed) as FieldName<V>[]).filter((field) => !marked.has(field))
      if (rest.length > 0 || marked.size === 0) draft.markSaved(rest, values)
      draft.nextRevision()
    },
    confirm,
    rebase: reload && (async () => draft.rebaseOn(await reload())),
    showError: (error) => {
      const { fieldByCode, messages, toField, failure, handleError } = options
      if (handleError?.(error)) return undefined
      const applied = applyError(error, {
        t,
        fieldByCode,
        messages,
        toField,
        getLabel: options.getLabel && getLabel,
        fields: Object.keys(form.getValues()) as FieldName<V>[],
        failure: typeof failure === 'function' ? failure(getEdited()) : failure,
      })
      if (applied.type === 'none') return undefined
      const isShown =
        applied.type === 'field' && showErrors(draft, root, { [applied.field]: applied.message } as FieldErrors<V>)
      return isShown ? undefined : applied.message
    },
    onSaved,
  })
  useRebase(saved, saving.isSaving, draft.rebaseOn)

  const format = (field: FieldName<V>, value: unknown): string => {
    if (formatValue) return formatValue(field, value)
    return typeof value === 'boolean' ? t(value ? 'common.On' : 'common.Off') : String(value)
  }
  return {
    ...saving,
    root: useCallback((element: HTMLElement | null) => {
      root.current = element
    }, []),
    values: form.values,
    errors: form.errors,
    saved: base.values,
    /** The fields that differ from what is saved. */
    edited,
    isDirty: isGuarded && edited.length > 0,
    /** `isDirty` outside of rendering. */
    isDirtyNow,
    /** `values` outside of rendering, normalized. */
    getValues: draft.getValues,
    revision: draft.revision,
    /** Sends the values, once they are valid, to another endpoint than `send`: a test of what was entered. */
    submitWith: (work: (values: V) => Promise<unknown>) =>
      run(async () => isValid(draft, root) && (await work(draft.getValues()))),
    set,
    rebaseOn: draft.rebaseOn,
    ...getFieldProps(draft),
    conflicts: base.conflicts.map<Conflict>((field) => ({
      field,
      label: getLabel(field),
      mine: format(field, form.values[field]),
      theirs: format(field, base.values[field]),
    })),
    /** Ends a conflict with one of the two versions; the user's own is then still to be saved. */
    resolve: (winner: 'mine' | 'theirs') => {
      const { values, conflicts } = getBase()
      draft.setConflicts([])
      if (winner === 'theirs') set(pick(values, conflicts))
    },
  }
}

interface MarkedEdit<V, T> extends Edit<V, T> {
  /** The fields of `markSaved`. */
  readonly marked: ReadonlySet<FieldName<V>>
}

type FormRoot = RefObject<HTMLElement | null>

/** Whether the form's button is disabled: then Enter and Ctrl+S do nothing either. During a save it is loading instead. */
const isBlocked = (root: FormRoot): boolean =>
  Boolean(root.current?.querySelector('[type="submit"]:disabled:not([data-loading])'))

/** What would be saved now; `undefined` while a conflict is unresolved, which gets the focus. */
function getEdit<V extends object, T>(
  draft: FormDraft<V, T>,
  root: FormRoot,
  part: readonly FieldName<V>[] | undefined,
): MarkedEdit<V, T> | undefined {
  const { values: saved, version, conflicts } = draft.getBase()
  if (conflicts.length > 0) {
    root.current?.querySelector<HTMLElement>('[data-conflict]')?.focus()
    return undefined
  }
  const values = draft.getValues()
  const changed = pick(
    values,
    changedFields(saved, values).filter((field) => part?.includes(field) ?? true),
  )
  const marked = new Set<FieldName<V>>()
  const markSaved = (fields: readonly FieldName<V>[], next?: T) => {
    for (const field of fields) marked.add(field)
    draft.markSaved(fields, values, next)
  }
  return { values, changed, version, marked, markSaved }
}

function isValid<V extends object, T>(draft: FormDraft<V, T>, root: FormRoot): boolean {
  const errors = draft.getErrors()
  showErrors(draft, root, errors)
  return Object.values(errors).every((message) => message === undefined)
}

/** Shows errors at their fields and focuses the first. Returns whether one of them is in view. */
function showErrors<V extends object, T>({ form }: FormDraft<V, T>, root: FormRoot, errors: FieldErrors<V>): boolean {
  // A field may only be rendered because it has an error.
  flushSync(() => form.setErrors(errors))
  const fields = [...(root.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])]
  const first = fields.find(({ dataset }) => errors[(dataset.path ?? '') as FieldName<V>] !== undefined)
  first?.focus()
  return first !== undefined
}

/** Applies a draft of an earlier session; fields that were changed by someone else since are conflicts. */
function restore<V extends object, T>(draft: FormDraft<V, T>, { saved: before, edits }: StoredDraft): void {
  const current = draft.getBase().values
  const known = Object.fromEntries(
    Object.entries(edits).filter(([field, value]) => typeof value === typeof current[field as FieldName<V>]),
  ) as Partial<V>
  const conflicts = (Object.keys(known) as FieldName<V>[]).filter(
    (field) => !isEqual(current[field], (before as Partial<V>)[field]) && !isEqual(current[field], known[field]),
  )
  draft.set(known)
  draft.setConflicts(conflicts)
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
  /** The ref of the element around the fields, where errors and conflicts get the focus. */
  readonly root: RefCallback<HTMLElement>
  readonly edited: readonly string[]
  readonly isDirty: boolean
  readonly isSaving: boolean
  readonly failure: Failure | undefined
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
function getFieldProps<V extends object, T>({ form, set, getEdited, validateField }: FormDraft<V, T>) {
  return {
    /** For an input, which reports an event, or the value itself as a `Select` does. */
    field: <F extends FieldName<V>>(field: F) => ({
      'data-path': field,
      value: form.values[field],
      error: form.errors[field],
      onChange: (change: ChangeOf<V[F]>) => set({ [field]: toValue<V[F]>(change) } as unknown as Partial<V>),
      // An untouched field shows no error on blur.
      onBlur: () => {
        if (getEdited().includes(field)) validateField(field)
      },
    }),
    /** The same for a switch. */
    switchField: <F extends FieldName<V>>(field: F) => ({
      'data-path': field,
      checked: form.values[field] === true,
      error: form.errors[field],
      onChange: ({ currentTarget: { checked } }: { currentTarget: { checked: boolean } }) =>
        set({ [field]: checked } as unknown as Partial<V>),
    }),
  }
}
