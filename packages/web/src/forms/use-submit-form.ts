import { type SaveFormOptions, useSaveForm } from './use-save-form.ts'

interface SubmitFormOptions<V extends object, R>
  extends Omit<SaveFormOptions<V, string, R>, 'saved' | 'reload' | 'formatValue' | 'send' | 'allowUnchanged'> {
  readonly initialValues: V
  /** Sends the values. An error that it rejects with is shown at its field, or above the form. */
  readonly send: (values: V) => Promise<R>
  /** Closes the form, or shows what follows. */
  readonly onSaved: (result: R) => unknown
}

/** A form that is sent once, such as a dialog that creates something: nothing is saved yet that others could change. */
export function useSubmitForm<V extends object, R = unknown>(options: SubmitFormOptions<V, R>) {
  const { initialValues, send, ...others } = options
  return useSaveForm<V, string, R>({
    ...others,
    saved: { values: initialValues },
    allowUnchanged: true,
    send: ({ values }) => send(values),
  })
}
