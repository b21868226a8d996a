import type { RefusalCode } from '@innkeeper/contract/refusals'
import { useForm } from '@mantine/form'
import isEqual from 'fast-deep-equal'
import { type RefObject, use, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isRefusal } from '../api/request.ts'
import { useShortcut } from '../hotkeys/hotkeys.tsx'
import { useT } from '../i18n/i18n.tsx'
import { ErrorDetailsContext, isUnknownError, statusText } from '../ui/error-message.ts'
import { toast, useShowError } from '../ui/toast.tsx'
import { applyError, type FieldByCode } from './apply-error.ts'
import { changedFields, type Field, pick, rebase } from './merge.ts'
import { useUnsavedChanges } from './unsaved-changes.tsx'
import { useLatestState } from './use-latest-state.ts'
import { useStoredDraft } from './use-stored-draft.ts'
import type { FieldErrors } from './validation.ts'

/** Values as they are saved, and the version that they were read with (`ETag`). */
export interface Saved<V, T = string> {
  readonly values: V
  readonly version?: T | undefined
}

/** What is to be saved. */
export interface Edit<V, T = string> {
  readonly values: V
  readonly changed: Partial<V>
  /** What the person saw, for `If-Match`. */
  readonly version: T | undefined
  /**
   * Some fields were saved by a request of their own: they are not sent again if another one fails. `version` is that of
   * the others.
   */
  readonly markSaved: (fields: readonly Field<V>[], version?: T) => void
}

export interface SaveFormOptions<V extends object, T = string, R = unknown> {
  /** Names the form among all of the app (`node-3`) to keep its draft over a lost session. */
  readonly id?: string
  readonly saved: Saved<V, T>
  /** Reads what is saved now, after a save was refused as stale. */
  readonly reload?: () => Promise<Saved<V, T>>
  /** Sends an edit. What it rejects with is shown at its field, or by `failureAt`. */
  readonly send: (edit: Edit<V, T>) => Promise<R>
  /** With the result of `send`, after the form is clean: says so, or leads elsewhere. Without it a toast says "Saved". */
  readonly onSaved?: (result: R) => unknown
  /** Answers whether to save after all. */
  readonly confirm?: (edit: Edit<V, T>) => Promise<boolean>
  /** As values are compared and sent: without blanks around them, for example. */
  readonly normalize?: (values: V) => V
  /** Errors of the fields; `changed` are those that differ from what is saved. */
  readonly validate?: (values: V, changed: readonly Field<V>[]) => FieldErrors<V>
  /** Fields that are never read back nor kept anywhere: they are empty again after a save. */
  readonly secrets?: readonly Field<V>[]
  /** Whether a field may hold a secret, so that its draft is not kept in the browser's storage. */
  readonly isPrivate?: (field: Field<V>) => boolean
  /** Secrets that only prove who saves: filled in alone they are no change. */
  readonly credentials?: readonly Field<V>[]
  readonly labelOf: (field: Field<V>, values: V) => string
  /** What a value is called where both versions of a conflict are shown. */
  readonly describe?: (field: Field<V>, value: unknown) => string
  readonly byCode?: FieldByCode
  /** Other words for some codes than the catalogue's. */
  readonly messages?: Partial<Record<RefusalCode, string>>
  readonly fieldFor?: (name: string) => string
  /** "Failed saving": what is said about an error without a meaning of its own. */
  readonly failure?: string | ((edited: readonly Field<V>[]) => string)
  /** Where errors without a field are shown: in passing, or above the form until the next try. */
  readonly failureAt?: 'toast' | 'form'
  /** It makes something new: it can be sent as it was opened. */
  readonly isNew?: boolean
}

interface Sync<V, T> {
  /** What the draft is compared with. */
  readonly saved: V
  readonly version: T | undefined
  /** Edited fields that somebody else changed too; `saved` holds their values. */
  readonly conflicts: readonly Field<V>[]
}

export interface FormFailure {
  readonly error: unknown
  readonly message: string
}

/** How often a save that others keep overtaking is sent again. */
const staleRetries = 3

/**
 * A form over values that are saved on the server. It keeps what was typed over a save, a refetch, a lost session and a
 * conflict: only what was sent becomes saved, newer data replaces untouched fields only, and an edited field that
 * somebody else changed is shown with both versions.
 */
export function useSaveForm<V extends object, T = string, R = unknown>(options: SaveFormOptions<V, T, R>) {
  const { id, saved, normalize = same, secrets = [], credentials = [], labelOf, failureAt = 'toast' } = options
  const t = useT()
  const tell = useShowError()
  const showDetails = use(ErrorDetailsContext)
  const root = useRef<HTMLFormElement>(null)
  const hidden = [...secrets, ...credentials]
  const [sync, setSync, getSync] = useLatestState<Sync<V, T>>({
    saved: saved.values,
    version: saved.version,
    conflicts: [],
  })
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<FormFailure>()
  /** Another one after each save and discard, for what keeps a state of its own beside a field. */
  const [revision, setRevision] = useState(0)
  const underWay = useRef<Promise<boolean>>(undefined)
  const seen = useRef(saved)
  const form = useForm<V>({
    initialValues: saved.values,
    clearInputErrorOnChange: false,
    validate: (values) =>
      options.validate?.(normalize(values), changedFields(getSync().saved, normalize(values))) ?? {},
  })

  const editedIn = (values: V, since = sync.saved) =>
    changedFields(since, normalize(values)).filter((field) => !credentials.includes(field))
  const edited = editedIn(form.values)
  const kept = edited.filter((field) => !hidden.includes(field) && options.isPrivate?.(field) !== true)
  const stored = useStoredDraft({
    id,
    draft: { saved: pick(sync.saved, kept), edits: pick(form.values, kept) },
    current: sync.saved as Record<string, unknown>,
  })

  /** Takes over newer saved values; where others changed what was edited, it is a conflict. */
  const take = (latest: Saved<V, T>): void => {
    const before = getSync()
    const draft = form.getValues()
    const merged = rebase({ saved: before.saved, draft, latest: latest.values })
    const open = before.conflicts.filter((field) => !isEqual(draft[field], latest.values[field]))
    const conflicts = [...new Set([...open, ...merged.conflicts])]
    setSync({ saved: latest.values, version: latest.version, conflicts })
    form.setValues(merged.draft)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes is what was read, and that a save has ended
  useEffect(() => {
    if (isSaving || isEqual(saved, seen.current)) return
    seen.current = saved
    take(saved)
  }, [saved, isSaving])

  /** What was sent is saved; what was typed since stays a draft. */
  const markSaved = (fields: readonly Field<V>[], sent: V, version?: T) => {
    const before = getSync()
    const isKnown = (field: Field<V>) => !hidden.includes(field)
    setSync({ ...before, saved: { ...before.saved, ...pick(sent, fields.filter(isKnown)) }, version })
    const draft = form.getValues()
    const normal = normalize(draft)
    const settled = [...fields, ...hidden].filter((field) => isEqual(normal[field], sent[field]))
    form.setValues({ ...draft, ...pick(getSync().saved, settled) })
  }

  /** Shows errors at their fields and focuses the first; answers whether one of them is in view. */
  const showErrors = (errors: FieldErrors<V>): boolean => {
    // A field may only be there because something is wrong with it.
    flushSync(() => form.setErrors(errors))
    const fields = [...(root.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])]
    const first = fields.find(({ dataset }) => errors[(dataset.path ?? '') as Field<V>] !== undefined)
    first?.focus()
    return first !== undefined
  }

  /** What would be saved now; `undefined` while a conflict is to be decided, which gets the focus. */
  const editNow = (): Edit<V, T> | undefined => {
    const { saved: base, version, conflicts } = getSync()
    if (conflicts.length > 0) {
      root.current?.querySelector<HTMLElement>('[data-conflict]')?.focus()
      return undefined
    }
    const values = normalize(form.getValues())
    const changed = pick(values, changedFields(base, values))
    return { values, changed, version, markSaved: (fields, next) => markSaved(fields, values, next) }
  }
  /** Sends the edit; again on top of what others saved meanwhile, unless they changed the same fields. */
  const sendEdit = async (): Promise<{ readonly result: R } | undefined> => {
    for (let attempt = 1; ; attempt += 1) {
      const edit = editNow()
      if (!edit) return undefined
      setIsSaving(true)
      try {
        const result = await options.send(edit)
        markSaved(Object.keys(edit.changed) as Field<V>[], edit.values)
        return { result }
      } catch (error) {
        if (!isRefusal(error, 'ErrStaleVersion') || !options.reload || attempt > staleRetries) throw error
        take(await options.reload())
      }
    }
  }
  const run = async (): Promise<boolean> => {
    const values = normalize(form.getValues())
    const { saved: base } = getSync()
    if (editedIn(values, base).length === 0 && options.isNew !== true) return false
    setFailure(undefined)
    const errors = options.validate?.(values, changedFields(base, values)) ?? {}
    showErrors(errors)
    if (Object.values(errors).some((message) => message !== undefined)) return false
    let saved: Awaited<ReturnType<typeof sendEdit>>
    try {
      const edit = editNow()
      if (!edit || (options.confirm && !(await options.confirm(edit)))) return false
      saved = await sendEdit()
    } catch (error) {
      refuse(error)
      return false
    } finally {
      setIsSaving(false)
    }
    if (!saved) return false
    setRevision((before) => before + 1)
    if (editedIn(form.getValues(), getSync().saved).length === 0) stored.drop()
    if (options.onSaved) await options.onSaved(saved.result)
    else toast.success(t('common.Saved'))
    return true
  }
  const refuse = (error: unknown) => {
    const fields = Object.keys(form.getValues()) as Field<V>[]
    const { byCode, messages, fieldFor, failure: failureText } = options
    const otherwise =
      typeof failureText === 'function' ? failureText(editedIn(form.getValues(), getSync().saved)) : failureText
    const label = (field: Field<V>) => labelOf(field, form.getValues())
    const applied = applyError(error, { t, fields, labelOf: label, byCode, messages, fieldFor, failure: otherwise })
    if (applied.at === 'nowhere') return
    if (applied.at === 'field' && showErrors({ [applied.field]: applied.message } as FieldErrors<V>)) return
    if (failureAt === 'form') setFailure({ error, message: applied.message })
    else if (otherwise === undefined || !isUnknownError(error)) tell(error)
    else {
      const detail = statusText(t, error)
      const action = { label: t('common.Details'), run: () => showDetails(error) }
      toast.error(otherwise, detail === '' ? { action } : { detail, action })
    }
  }

  /** Saves what was changed; answers whether it is saved. While a save is under way this waits for it. */
  const save = (): Promise<boolean> => {
    underWay.current ??= run().finally(() => {
      underWay.current = undefined
    })
    return underWay.current
  }
  const discard = () => {
    const { saved: base } = getSync()
    form.setValues(base)
    form.clearErrors()
    setSync({ ...getSync(), conflicts: [] })
    setFailure(undefined)
    setRevision((before) => before + 1)
    stored.drop()
  }

  useShortcut('$mod+s', () => void save())
  useUnsavedChanges({
    isDirty: () => editedIn(form.getValues(), getSync().saved).length > 0,
    onLeave: discard,
  })

  const describe = (field: Field<V>, value: unknown): string => {
    if (options.describe) return options.describe(field, value)
    return typeof value === 'boolean' ? t(value ? 'forms.On' : 'forms.Off') : String(value)
  }
  const set = (changes: Partial<V>) => {
    form.setValues(changes as V)
    for (const field of Object.keys(changes)) form.clearFieldError(field)
  }
  return {
    root,
    values: form.values,
    errors: form.errors as FieldErrors<V>,
    saved: sync.saved,
    /** The fields that differ from what is saved. */
    edited,
    isDirty: edited.length > 0,
    isSaving,
    failure,
    revision,
    save,
    discard,
    set,
    /** What an input of the form needs; it reports an event, or the value itself as a `Select` does. */
    field: <F extends Field<V>>(field: F) => ({
      'data-path': field,
      value: form.values[field],
      error: form.errors[field],
      onChange: (next: ChangeOf<V[F]>) => set({ [field]: valueIn<V[F]>(next) } as unknown as Partial<V>),
      // Looking at a field is no reason to object to it.
      onBlur: () => {
        if (editedIn(form.getValues(), getSync().saved).includes(field)) void form.validateField(field)
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
    conflicts: sync.conflicts.map<Conflict>((field) => ({
      field,
      label: labelOf(field, form.values),
      mine: describe(field, form.values[field]),
      theirs: describe(field, sync.saved[field]),
    })),
    /** Ends a conflict with one of the two versions; with the own one it is then to be saved. */
    resolve: (winner: 'mine' | 'theirs') => {
      const { saved: base, conflicts } = getSync()
      setSync({ ...getSync(), conflicts: [] })
      if (winner === 'theirs') set(pick(base, conflicts))
    },
    offered: stored.offered,
    /** Puts a draft of an earlier session in, over what nobody else changed since. */
    restore: () => {
      const { saved: then, edits } = stored.offered ?? { saved: {}, edits: {} }
      const base = getSync().saved
      const known = Object.fromEntries(
        Object.entries(edits).filter(([field, value]) => typeof value === typeof base[field as Field<V>]),
      ) as Partial<V>
      const conflicts = (Object.keys(known) as Field<V>[]).filter(
        (field) => !isEqual(base[field], (then as Partial<V>)[field]) && !isEqual(base[field], known[field]),
      )
      set(known)
      setSync({ ...getSync(), conflicts })
      stored.endOffer()
    },
    forgetOffer: stored.endOffer,
  }
}

/** What a part of a form with these values needs of it. */
export type SaveFormOf<V extends object> = ReturnType<typeof useSaveForm<V>>

/** An edited field that somebody else changed too. */
export interface Conflict {
  readonly field: string
  readonly label: string
  readonly mine: string
  readonly theirs: string
}

/** What the frame of a form knows of it, whatever its values are. */
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
  readonly offered: object | undefined
  readonly restore: () => void
  readonly forgetOffer: () => void
}

type ChangeOf<T> = T | { readonly currentTarget: { readonly value: string } }

function valueIn<T>(next: ChangeOf<T>): T {
  const isEvent = typeof next === 'object' && next !== null && 'currentTarget' in next
  return (isEvent ? (next.currentTarget as HTMLInputElement).value : next) as T
}

const same = <V>(values: V): V => values
