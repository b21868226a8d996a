import { issueRefusal } from '@innkeeper/contract/definitions/validate'
import type { z } from 'zod/mini'
import type { TFunction } from '../i18n/i18n.tsx'
import { errorMessage } from '../ui/text/error-message.ts'
import { withLabel } from './apply-error.ts'
import type { FieldName } from './merge.ts'

/** A message for each field that cannot be saved. */
export type FieldErrors<V> = Partial<Record<FieldName<V>, string>>

interface SchemaOptions<V> {
  readonly t: TFunction
  readonly getLabel: (field: FieldName<V>) => string
}

/** Validates values with a schema of the contract. Returns the first message of each invalid field. */
export function schemaErrors<V extends object>(
  schema: z.ZodMiniType,
  values: object,
  { t, getLabel }: SchemaOptions<V>,
): FieldErrors<V> {
  const { error } = schema.safeParse(values, { reportInput: true })
  const errors: FieldErrors<V> = {}
  for (const issue of error?.issues ?? []) {
    const field = issue.path[0] as FieldName<V> | undefined
    if (field === undefined || errors[field] !== undefined) continue
    errors[field] = errorMessage(t, withLabel(issueRefusal(issue, error), getLabel(field)))
  }
  return errors
}
