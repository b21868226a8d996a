import isEqual from 'fast-deep-equal'
import { useState } from 'react'
import { changedFields, type FieldName, pick, rebase } from './merge.ts'
import { useLatestState } from './use-latest-state.ts'
import type { FieldErrors } from './validation.ts'

/** Values as they are saved, and the version that they were read with (`ETag`). */
export interface Saved<V, T = string> {
  readonly values: V
  readonly version?: T | undefined
}

export interface FormDraftOptions<V extends object> {
  /** As values are compared and sent: trimmed, for example. */
  readonly normalize?: (values: V) => V
  /** Errors of the fields; `changed` are those that differ from what is saved. */
  readonly validate?: (values: V, changed: readonly FieldName<V>[]) => FieldErrors<V>
  /** Secrets that are never read back nor stored anywhere: they are empty again after a save. */
  readonly secrets?: readonly FieldName<V>[]
  /** Secrets that only confirm who saves: filled in alone they are no change. */
  readonly confirmingSecrets?: readonly FieldName<V>[]
  /** It creates one thing after another: what was sent is followed by the initial values. */
  readonly startsOver?: boolean
}

/** What the draft is compared with. */
interface Base<V, T> {
  readonly values: V
  readonly version: T | undefined
  /** Edited fields that someone else changed too; `values` holds their values. */
  readonly conflicts: readonly FieldName<V>[]
}

/** What `useFormDraft` returns. */
export type FormDraft<V extends object, T> = ReturnType<typeof useFormDraft<V, T>>

const identity = <V>(values: V): V => values

/** The unsaved values of a form on top of those saved on the server. It sends no requests. */
export function useFormDraft<V extends object, T>(saved: Saved<V, T>, options: FormDraftOptions<V>) {
  const { normalize = identity, validate, secrets = [], confirmingSecrets = [], startsOver = false } = options
  const allSecrets = [...secrets, ...confirmingSecrets]
  const [base, setBase, getBase] = useLatestState<Base<V, T>>({
    values: saved.values,
    version: saved.version,
    conflicts: [],
  })
  const [revision, setRevision] = useState(0)
  const toErrors = (values: V): FieldErrors<V> => validate?.(values, changedFields(getBase().values, values)) ?? {}
  const form = useFields<V>(saved.values)
  const editedSince = (since: V, values: V) =>
    changedFields(since, normalize(values)).filter((field) => !confirmingSecrets.includes(field))
  const getErrors = () => toErrors(normalize(form.getValues()))
  const nextRevision = () => setRevision((before) => before + 1)

  return {
    form,
    base,
    /** The base now, also inside asynchronous work. */
    getBase,
    /** The values now, normalized. */
    getValues: () => normalize(form.getValues()),
    /** The fields that differ now from what is saved. */
    getEdited: () => editedSince(getBase().values, form.getValues()),
    /** The same as rendered. */
    edited: editedSince(base.values, form.values),
    /** The secrets that are never read back. */
    allSecrets,
    /** Changes each time the form is saved or reset, for components that keep state of their own beside a field. */
    revision,
    nextRevision,
    getErrors,
    validateField: (field: FieldName<V>) => form.setError(field, getErrors()[field]),
    set(changes: Partial<V>) {
      form.setValues(changes)
      for (const field of Object.keys(changes) as FieldName<V>[]) form.setError(field, undefined)
    },
    /** Takes over newer saved values; where others changed what was edited, it is a conflict. */
    rebaseOn(latest: Saved<V, T>) {
      const before = getBase()
      const draft = form.getValues()
      const merged = rebase({ saved: before.values, draft, latest: latest.values })
      const open = before.conflicts.filter((field) => !isEqual(draft[field], latest.values[field]))
      const conflicts = [...new Set([...open, ...merged.conflicts])]
      setBase({ values: latest.values, version: latest.version, conflicts })
      form.setValues(merged.draft)
    },
    /** Marks sent values as saved; changes made since stay in the draft. */
    markSaved(fields: readonly FieldName<V>[], sent: V, version?: T) {
      const before = getBase()
      const readable = startsOver ? [] : fields.filter((field) => !allSecrets.includes(field))
      setBase({ ...before, values: { ...before.values, ...pick(sent, readable) }, version })
      const draft = form.getValues()
      const normalized = normalize(draft)
      const settled = [...fields, ...allSecrets].filter((field) => isEqual(normalized[field], sent[field]))
      form.setValues({ ...draft, ...pick(getBase().values, settled) })
    },
    setConflicts: (conflicts: readonly FieldName<V>[]) => setBase({ ...getBase(), conflicts }),
    reset() {
      form.setValues(getBase().values)
      form.setErrors({})
      setBase({ ...getBase(), conflicts: [] })
      nextRevision()
    },
  }
}

/** The values of the fields, and the messages at them. `getValues` returns the values now, also inside asynchronous work. */
function useFields<V extends object>(initial: V) {
  const [values, changeValues, getValues] = useLatestState<V>(initial)
  const [errors, setErrors] = useState<FieldErrors<V>>({})
  return {
    values,
    errors,
    getValues,
    setValues: (changes: Partial<V>) => changeValues((before) => ({ ...before, ...changes })),
    setErrors,
    setError: (field: FieldName<V>, message: string | undefined) =>
      setErrors((before) => (before[field] === message ? before : { ...before, [field]: message })),
  }
}
