import type { RefusalCode } from '@innkeeper/contract/refusals'
import { useForm } from '@mantine/form'
import type { FormEvent } from 'react'
import { flushSync } from 'react-dom'
import { useT } from '../i18n/i18n.tsx'
import { applyError, type FieldByCode } from './apply-error.ts'
import type { FieldName } from './merge.ts'
import { useSave } from './use-save.ts'
import type { FieldErrors } from './validation.ts'

type Values<V> = { readonly [F in keyof V]: unknown }

interface SubmitFormOptions<V extends Values<V>> {
  readonly initialValues: V
  /** The fields that the form shows, from top to bottom: all of them unless given. */
  readonly fields?: readonly FieldName<V>[]
  readonly validate?: (values: V) => FieldErrors<V>
  /** Sends the values. An error that it rejects with is shown at its field, or above the form (`SubmitForm`). */
  readonly send: (values: V) => Promise<unknown>
  /** Handles an error that changes the whole form; returns whether it did. */
  readonly handleError?: (error: unknown) => boolean
  /** The field to show an error at, by its code. */
  readonly fieldByCode?: FieldByCode
  /** The field's label in messages of the API, instead of its name. */
  readonly getLabel?: (field: FieldName<V>, values: V) => string
  /** Messages for some codes instead of the catalog's. */
  readonly messages?: Partial<Record<RefusalCode, string>>
}

/**
 * A form that is sent once, such as a dialog that asks for a name: nothing is saved yet that others could change. For
 * values that are saved and edited again, and for drafts that must survive, see `useSaveForm`.
 */
export function useSubmitForm<V extends Values<V>>(options: SubmitFormOptions<V>) {
  const { initialValues, validate, send, handleError, fieldByCode, getLabel, messages } = options
  const fields = options.fields ?? (Object.keys(initialValues) as FieldName<V>[])
  const t = useT()
  const form = useForm<V>({ initialValues, validate: (values) => validate?.(values) ?? {} })

  const focusFirst = (errors: object) => {
    const first = fields.find((field) => field in errors && errors[field as keyof typeof errors])
    if (first) form.getInputNode(first)?.focus()
  }
  const getRoot = () => {
    const [input] = fields.flatMap((field) => form.getInputNode(field) ?? [])
    return input?.closest('form')
  }
  /** Whether the form's button is disabled: then Enter and Ctrl+S do nothing either. */
  const isBlocked = () => Boolean(getRoot()?.querySelector('[type="submit"]:disabled'))
  const { save, isSaving, failure } = useSave<V>({
    getRoot,
    getEdit: () => {
      if (isBlocked()) return undefined
      const { hasErrors, errors } = form.validate()
      if (hasErrors) focusFirst(errors)
      return hasErrors ? undefined : form.getValues()
    },
    send,
    onSaved: () => undefined,
    showError: (error) => {
      if (handleError?.(error)) return undefined
      const applied = applyError(error, {
        ...{ t, fields, fieldByCode, messages },
        getLabel: getLabel && ((field: FieldName<V>) => getLabel(field, form.getValues())),
      })
      if (applied.type !== 'field') return applied.type === 'form' ? applied.message : undefined
      const errors = { [applied.field]: applied.message }
      flushSync(() => form.setErrors(errors))
      focusFirst(errors)
      return undefined
    },
  })
  return {
    values: form.values,
    errors: form.errors as FieldErrors<V>,
    /** Why the last attempt failed, unless a field shows it. */
    failure,
    isSaving,
    set: (changes: Partial<V>) => form.setValues(changes),
    onSubmit: (event?: FormEvent<HTMLFormElement>) => {
      event?.preventDefault()
      void save()
    },
    /** Props of an input. Leaving it validates it, unless it is empty. */
    field: (name: FieldName<V>) => ({
      ...form.getInputProps(name),
      name,
      onBlur: () => {
        if (form.getValues()[name] !== '') form.validateField(name)
      },
    }),
    /** Props of a switch or checkbox. */
    switchField: (name: FieldName<V>) => ({ ...form.getInputProps(name, { type: 'checkbox' }), name }),
  }
}
