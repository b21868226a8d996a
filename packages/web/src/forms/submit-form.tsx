import { Box } from '@mantine/core'
import type { ComponentProps, FormEvent } from 'react'
import { ErrorAlert } from '../ui/error-alert.tsx'
import type { Failure } from './use-save.ts'

interface SubmitFormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'noValidate'> {
  readonly form: {
    readonly failure: Failure | undefined
    readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  }
}

/** The `<form>` of `useSubmitForm`: an error that is about none of its fields is shown above them. */
export function SubmitForm({ form, children, ...rest }: SubmitFormProps) {
  return (
    <form {...rest} noValidate onSubmit={form.onSubmit}>
      {form.failure && (
        <Box mb="md">
          <ErrorAlert {...form.failure} />
        </Box>
      )}
      {children}
    </form>
  )
}
