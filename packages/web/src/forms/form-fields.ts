import type { Field } from './merge.ts'
import type { FormDraft } from './use-form-draft.ts'

type ChangeOf<T> = T | { readonly currentTarget: { readonly value: string } }

function toValue<T>(change: ChangeOf<T>): T {
  const isEvent = typeof change === 'object' && change !== null && 'currentTarget' in change
  return (isEvent ? (change.currentTarget as HTMLInputElement).value : change) as T
}

/** Props that connect inputs with the draft of a form. */
export function getFieldProps<V extends object, T>({ form, set, getEdited }: FormDraft<V, T>) {
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
