import { refusalOfInput } from '@innkeeper/contract/accept'
import { z } from 'zod'
import type { TFunction } from '../i18n/i18n.tsx'
import { errorMessage } from '../ui/error-message.ts'
import { withLabel } from './apply-error.ts'
import type { Field } from './merge.ts'

/** A message for each field that cannot be saved. */
export type FieldErrors<V> = Partial<Record<Field<V>, string>>

interface SchemaOptions<V> {
  readonly t: TFunction
  readonly labelOf: (field: Field<V>) => string
}

/** What a schema of the contract says about the values, in the person's language: one message for each field. */
export function schemaErrors<V extends object>(
  schema: z.ZodType,
  values: object,
  { t: text, labelOf }: SchemaOptions<V>,
): FieldErrors<V> {
  const { error } = schema.safeParse(values, { reportInput: true })
  const errors: FieldErrors<V> = {}
  for (const issue of error?.issues ?? []) {
    const field = issue.path[0] as Field<V> | undefined
    if (field === undefined || errors[field] !== undefined) continue
    errors[field] = errorMessage(text, withLabel(refusalOfInput(new z.ZodError([issue])), labelOf(field)))
  }
  return errors
}
