import { refusalOfInput } from '@innkeeper/contract/accept'
import { z } from 'zod'
import type { Text } from '../i18n/text.tsx'
import { messageOf } from '../ui/refusal.tsx'
import { withLabel } from './apply-error.ts'
import type { Field } from './merge.ts'

/** A message for each field that cannot be saved. */
export type FieldErrors<V> = Partial<Record<Field<V>, string>>

interface SchemaOptions<V> {
  readonly text: Text
  readonly labelOf: (field: Field<V>) => string
}

/** What a schema of the contract says about the values, in the person's language: one message for each field. */
export function schemaErrors<V extends object>(
  schema: z.ZodType,
  values: object,
  { text, labelOf }: SchemaOptions<V>,
): FieldErrors<V> {
  const { error } = schema.safeParse(values, { reportInput: true })
  const errors: FieldErrors<V> = {}
  for (const issue of error?.issues ?? []) {
    const field = issue.path[0] as Field<V> | undefined
    if (field === undefined || errors[field] !== undefined) continue
    errors[field] = messageOf(text, withLabel(refusalOfInput(new z.ZodError([issue])), labelOf(field)))
  }
  return errors
}
