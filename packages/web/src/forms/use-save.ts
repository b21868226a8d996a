import type { RefusalCode } from '@innkeeper/contract/refusals'
import { type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isRefusal } from '../api/request.ts'
import { useT } from '../i18n/i18n.tsx'
import { toast } from '../ui/toast.tsx'
import { applyError, type FieldByCode } from './apply-error.ts'
import { changedFields, type Field, pick } from './merge.ts'
import type { FormDraft, Saved } from './use-form-draft.ts'
import type { FieldErrors } from './validation.ts'

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
  readonly markSaved: (fields: readonly Field<V>[], version?: T) => void
}

export interface SaveOptions<V extends object, T, R> {
  /** Reads what is saved now, after a save was refused as stale. */
  readonly reload?: () => Promise<Saved<V, T>>
  /** Sends an edit. An error it rejects with is shown at its field, or above the form. */
  readonly send: (edit: Edit<V, T>) => Promise<R>
  /** Called with the result of `send` after the form is clean: shows a message or navigates. Without it a toast says "Saved". */
  readonly onSaved?: (result: R) => unknown
  /** Resolves with whether to save after all. */
  readonly confirm?: (edit: Edit<V, T>) => Promise<boolean>
  readonly getLabel: (field: Field<V>, values: V) => string
  /** The field to show an error at, by its code. */
  readonly fieldByCode?: FieldByCode
  /** Messages for some codes instead of the catalog's. */
  readonly messages?: Partial<Record<RefusalCode, string>>
  /** Maps a field name of the request body to the form's. */
  readonly toField?: (name: string) => string
  /** "Failed saving": the message of an error without a meaning of its own. */
  readonly failure?: string | ((edited: readonly Field<V>[]) => string)
  /** It creates something: it can be sent unchanged. */
  readonly isNew?: boolean
}

export interface FormFailure {
  readonly error: unknown
  readonly message: string
}

/** How often a save that was refused as stale is sent again. */
const staleRetries = 3

/** Sends the draft of a form: one save at a time, again on top of newer values, and errors at their fields. */
export function useSave<V extends object, T, R>(
  draft: FormDraft<V, T>,
  root: RefObject<HTMLFormElement | null>,
  options: SaveOptions<V, T, R>,
  /** Called after a save that left nothing unsaved. */
  onClean: () => void,
) {
  const t = useT()
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<FormFailure>()
  const pendingSave = useRef<Promise<boolean>>(undefined)
  const { form, getBase, getValues, getEdited } = draft

  /** Shows errors at their fields and focuses the first. Returns whether one of them is in view. */
  const showErrors = (errors: FieldErrors<V>): boolean => {
    // A field may only be rendered because it has an error.
    flushSync(() => form.setErrors(errors))
    const fields = [...(root.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])]
    const first = fields.find(({ dataset }) => errors[(dataset.path ?? '') as Field<V>] !== undefined)
    first?.focus()
    return first !== undefined
  }

  /** What would be saved now; `undefined` while a conflict is unresolved, which gets the focus. */
  const getEdit = (): Edit<V, T> | undefined => {
    const base = getBase()
    if (base.conflicts.length > 0) {
      root.current?.querySelector<HTMLElement>('[data-conflict]')?.focus()
      return undefined
    }
    const values = getValues()
    const changed = pick(values, changedFields(base.values, values))
    const { version } = base
    return { values, changed, version, markSaved: (fields, next) => draft.markSaved(fields, values, next) }
  }

  /** Sends the edit; again on top of what others saved in between, unless they changed the same fields. */
  const sendEdit = async (): Promise<{ readonly result: R } | undefined> => {
    for (let attempt = 1; ; attempt += 1) {
      const edit = getEdit()
      if (!edit) return undefined
      setIsSaving(true)
      try {
        const result = await options.send(edit)
        draft.markSaved(Object.keys(edit.changed) as Field<V>[], edit.values)
        return { result }
      } catch (error) {
        if (!isRefusal(error, 'ErrStaleVersion') || !options.reload || attempt > staleRetries) throw error
        draft.rebaseOn(await options.reload())
      }
    }
  }

  const showFailure = (error: unknown) => {
    const { getLabel, fieldByCode, messages, toField, failure: text } = options
    const applied = applyError(error, {
      t,
      fields: Object.keys(form.getValues()) as Field<V>[],
      getLabel: (field) => getLabel(field, form.getValues()),
      fieldByCode,
      messages,
      toField,
      failure: typeof text === 'function' ? text(getEdited()) : text,
    })
    if (applied.type === 'none') return
    if (applied.type === 'field' && showErrors({ [applied.field]: applied.message } as FieldErrors<V>)) return
    setFailure({ error, message: applied.message })
  }

  const isValid = (): boolean => {
    setFailure(undefined)
    const errors = draft.getErrors()
    showErrors(errors)
    return Object.values(errors).every((message) => message === undefined)
  }

  const run = async (): Promise<boolean> => {
    if ((getEdited().length === 0 && options.isNew !== true) || !isValid()) return false
    let saved: Awaited<ReturnType<typeof sendEdit>>
    try {
      const edit = getEdit()
      if (!edit || (options.confirm && !(await options.confirm(edit)))) return false
      saved = await sendEdit()
    } catch (error) {
      showFailure(error)
      return false
    } finally {
      setIsSaving(false)
    }
    if (!saved) return false
    draft.nextRevision()
    if (getEdited().length === 0) onClean()
    if (options.onSaved) await options.onSaved(saved.result)
    else toast.success(t('common.Saved'))
    return true
  }

  const runOther = async (work: (values: V) => Promise<unknown>): Promise<boolean> => {
    if (!isValid()) return false
    setIsSaving(true)
    try {
      await work(getValues())
    } catch (error) {
      showFailure(error)
    } finally {
      setIsSaving(false)
    }
    return false
  }

  const oneAtATime = (start: () => Promise<boolean>): Promise<boolean> => {
    pendingSave.current ??= start().finally(() => {
      pendingSave.current = undefined
    })
    return pendingSave.current
  }

  return {
    isSaving,
    failure,
    clearFailure: () => setFailure(undefined),
    /** Saves what was changed; resolves with whether it is saved. While a save is under way this waits for it. */
    save: () => oneAtATime(run),
    /** Sends the values, once they are valid, to another call than `send`: a test of what was entered. */
    sendTo: (work: (values: V) => Promise<unknown>) => oneAtATime(() => runOther(work)),
  }
}
