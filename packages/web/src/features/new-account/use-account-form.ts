import { useSubmitForm } from '../../forms/use-submit-form.ts'
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

const emptyValues: AccountValues = { code: '', username: '', email: '', password: '', repeated: '' }

/** State of a form that creates or recovers an account. Values are validated before they are sent. */
export function useAccountForm({ fields, send, ...options }: AccountFormOptions) {
  const t = useT()
  return useSubmitForm<AccountValues>({
    ...options,
    initialValues: emptyValues,
    fields,
    fieldByCode,
    validate: (values) => Object.fromEntries(fields.map((field) => [field, validateAccountField(t, field, values)])),
    send: (values) => send({ ...values, code: values.code.trim(), email: values.email.trim() }),
  })
}
export type AccountFormState = ReturnType<typeof useAccountForm>
