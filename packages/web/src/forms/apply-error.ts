import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import { isRefusal } from '../api/request.ts'
import type { TFunction } from '../i18n/i18n.tsx'
import { errorField, errorMessage, isUnknownError } from '../ui/error-message.ts'

/** Codes that are about a field without naming it; those of fields that a form has not got do not count. */
export type FieldByCode = Partial<Record<RefusalCode, string>>

interface Target<F extends string> {
  readonly t: TFunction
  /** The fields that the form shows. */
  readonly fields: readonly F[]
  readonly labelOf?: ((field: F) => string) | undefined
  readonly byCode?: FieldByCode | undefined
  /** Other words for some codes than the catalogue's. */
  readonly messages?: Partial<Record<RefusalCode, string>> | undefined
  /** The field of the form for a field of the request body. */
  readonly fieldFor?: ((name: string) => string) | undefined
  /** What is said about an error without a meaning of its own: "Failed saving". */
  readonly failure?: string | undefined
}

/** Where an error of the API belongs: at a field, or above the form, there perhaps with its details. */
export type AppliedError<F extends string> =
  | { readonly at: 'field'; readonly field: F; readonly message: string }
  | { readonly at: 'form'; readonly error: unknown; readonly message: string }
  /** The session ended: the login page says so. */
  | { readonly at: 'nowhere' }

/** Finds the place and the message of an error that came back from saving a form. */
export function applyError<F extends string>(error: unknown, target: Target<F>): AppliedError<F> {
  const { t: text, fields, labelOf, byCode = {}, messages = {}, fieldFor = (name) => name, failure } = target
  if (isRefusal(error, 'ErrSessionTimedOut')) return { at: 'nowhere' }
  const inBody = errorField(error)
  const wanted =
    (isRefusal(error) ? byCode[error.code] : undefined) ?? (inBody === undefined ? inBody : fieldFor(inBody))
  const field = fields.find((one) => one === wanted)
  if (field !== undefined && isRefusal(error)) {
    const named = labelOf ? withLabel(error, labelOf(field)) : error
    return { at: 'field', field, message: messages[error.code] ?? errorMessage(text, named) }
  }
  return { at: 'form', error, message: (isUnknownError(error) && failure) || errorMessage(text, error) }
}

/** The same refusal with its field as the form calls it. */
export function withLabel(refusal: Refusal, label: string): Refusal {
  return new Refusal(refusal.code, { ...refusal.metadata, field: label }, { cause: refusal })
}
