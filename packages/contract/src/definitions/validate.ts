import type { z } from 'zod/mini'
import { isRefusalCode, Refusal, type RefusalMetadata } from '../errors/refusals.ts'

/** Parses input with a schema. Throws the `Refusal` of `validationError` when the input is not valid. */
export function validate<S extends z.ZodMiniType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true })
  if (!result.success) throw validationError(result.error)
  return result.data
}

/** The refusal of the first issue of a Zod error, see `issueRefusal`. */
export function validationError(error: z.core.$ZodError): Refusal {
  const first = error.issues[0]
  return first ? issueRefusal(first, error) : new Refusal('ErrInvalidJson')
}

/**
 * Maps an issue of a Zod error to a refusal with the matching code and the field's path. A missing field can be
 * distinguished from a field of the wrong type only when the schema was parsed with `reportInput`, as `validate` does. A schema
 * sets another code with `refine(…, { params: { code: 'ErrX', …metadata } })`.
 */
export function issueRefusal(first: z.core.$ZodIssue, cause?: z.core.$ZodError): Refusal {
  // The key of a record is not valid: the reason is one level deeper.
  const issue = first.code === 'invalid_key' && first.issues[0] ? { ...first.issues[0], path: first.path } : first
  const field = issue.path.map(String).join('.')
  const options = { cause }
  if (issue.code === 'custom') {
    const { code, ...metadata } = (issue.params ?? {}) as { code?: string } & RefusalMetadata
    return new Refusal(code && isRefusalCode(code) ? code : 'ErrFieldInvalid', { field, ...metadata }, options)
  }
  if (issue.code === 'unrecognized_keys') {
    return new Refusal('ErrFieldInvalid', { field: [...issue.path, issue.keys[0]].map(String).join('.') }, options)
  }
  if (field === '') return new Refusal('ErrInvalidJson', {}, options)
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return new Refusal('ErrFieldRequired', { field }, options)
  if (issue.code === 'too_small') {
    const min = Number(issue.minimum)
    if (issue.origin === 'string') {
      return min === 1
        ? new Refusal('ErrFieldRequired', { field }, options)
        : new Refusal('ErrFieldLength', { field, length: min, min }, options)
    }
    return new Refusal('ErrFieldTooSmall', { field, min }, options)
  }
  if (issue.code === 'too_big') return new Refusal('ErrFieldTooLarge', { field, max: Number(issue.maximum) }, options)
  if (issue.code === 'invalid_format' && issue.format === 'email')
    return new Refusal('ErrFieldNotEmail', { field }, options)
  return new Refusal('ErrFieldInvalid', { field }, options)
}
