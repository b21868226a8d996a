import { useForm } from '@mantine/form'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { applyError } from '../../forms/apply-error.ts'
import { useT } from '../../i18n/i18n.tsx'
import { type AccountField, type AccountValues, fieldByCode, validateAccountField } from './validate-account.ts'

interface AccountFormOptions {
  /** The fields that the form shows, from top to bottom. */
  readonly fields: readonly AccountField[]
  /** Sends the values. An error is shown at its field, or above the form. */
  readonly send: (values: AccountValues) => Promise<void>
  /** Handles an error that replaces the whole form; returns whether it did. */
  readonly handleError?: (error: unknown) => boolean
}

/** State of a form that creates or recovers an account. Values are validated before they are sent. */
export function useAccountForm({ fields, send, handleError = () => false }: AccountFormOptions) {
  const t = useT()
  const [error, setError] = useState<unknown>()
  const form = useForm<AccountValues>({
    initialValues: { code: '', username: '', email: '', password: '', repeated: '' },
    validate: (values) => Object.fromEntries(fields.map((field) => [field, validateAccountField(t, field, values)])),
  })
  const focusFirst = (errors: Partial<Record<AccountField, unknown>>) => {
    const first = fields.find((field) => errors[field])
    if (first) form.getInputNode(first)?.focus()
  }
  const submit = async (values: AccountValues) => {
    setError(undefined)
    try {
      await send({ ...values, code: values.code.trim(), email: values.email.trim() })
    } catch (error) {
      if (handleError(error)) return
      const applied = applyError(error, { t, fields, fieldByCode })
      if (applied.type !== 'field') return setError(error)
      const { field, message } = applied
      flushSync(() => form.setFieldError(field, message))
      focusFirst({ [field]: message })
    }
  }

  return {
    values: form.values,
    /** Why the request failed, unless a field shows it. */
    error,
    isSubmitting: form.submitting,
    onSubmit: form.onSubmit(submit, focusFirst),
    /** Props of an input. Leaving it validates it, unless it is empty. */
    field: (name: AccountField) => ({
      ...form.getInputProps(name),
      name,
      required: true,
      withAsterisk: false,
      onBlur: () => {
        if (form.values[name] !== '') form.validateField(name)
      },
    }),
  }
}
export type AccountFormState = ReturnType<typeof useAccountForm>
