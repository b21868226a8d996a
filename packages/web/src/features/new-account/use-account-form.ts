import type { SaveFormOf } from '../../forms/use-save-form.ts'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { type AccountField, type AccountValues, fieldByCode, validateAccountField } from './validate-account.ts'

interface AccountFormOptions<R> {
  /** The fields that the form shows, from top to bottom. */
  readonly fields: readonly AccountField[]
  /** Sends the values. An error is shown at its field, or above the form. */
  readonly send: (values: AccountValues) => Promise<R>
  /** Shows what follows, or starts the session. */
  readonly onSaved: (result: R) => unknown
  /** Handles an error that replaces the whole form; returns whether it did. */
  readonly handleError?: (error: unknown) => boolean
}

const emptyValues: AccountValues = {
  code: '',
  username: '',
  email: '',
  password: '',
  repeated: '',
  registrationEnabled: false,
}

/** State of a form that creates or recovers an account. Values are validated before they are sent. */
export function useAccountForm<R>({ fields, ...options }: AccountFormOptions<R>) {
  const t = useT()
  return useSubmitForm<AccountValues, R>({
    ...options,
    initialValues: emptyValues,
    fieldByCode,
    normalize: (values) => ({ ...values, code: values.code.trim(), email: values.email.trim() }),
    validate: (values) => Object.fromEntries(fields.map((field) => [field, validateAccountField(t, field, values)])),
  })
}
export type AccountFormState = SaveFormOf<AccountValues>
