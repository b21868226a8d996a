import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { isRefusal } from '../api/request.ts'
import type { TFunction } from '../i18n/i18n.tsx'
import { errorField, errorMessage, hasMessage } from '../ui/text/error-message.ts'

/** The field of errors that do not name one, by code. */
export type FieldByCode = Partial<Record<RefusalCode, string>>

interface ApplyErrorOptions<F extends string> {
  readonly t: TFunction
  /** The fields that the form shows. */
  readonly fields: readonly F[]
  readonly getLabel?: ((field: F) => string) | undefined
  readonly fieldByCode?: FieldByCode | undefined
  /** Messages for some codes instead of the catalog's. */
  readonly messages?: Partial<Record<RefusalCode, string>> | undefined
  /** The field of the form for a field of the request body. */
  readonly toField?: ((name: string) => string) | undefined
  /** The message of an error without a meaning of its own: "Failed saving". */
  readonly failure?: string | undefined
}

/** Where to show an API error: at a field, or above the form. */
export type AppliedError<F extends string> =
  | { readonly type: 'field'; readonly field: F; readonly message: string }
  | { readonly type: 'form'; readonly error: unknown; readonly message: string }
  /** The session ended: the sign-in page says so. */
  | { readonly type: 'none' }

/** Returns where to show an error that was returned when a form was sent, and its message. */
export function applyError<F extends string>(error: unknown, options: ApplyErrorOptions<F>): AppliedError<F> {
  const { t, fields, getLabel, fieldByCode = {}, messages = {}, toField = (name) => name, failure } = options
  if (isRefusal(error, 'ErrSessionTimedOut')) return { type: 'none' }
  const requestField = errorField(error)
  const byCode = isRefusal(error) ? fieldByCode[error.code] : undefined
  const name = byCode ?? (requestField === undefined ? undefined : toField(requestField))
  const field = fields.find((candidate) => candidate === name)
  if (field !== undefined && isRefusal(error)) {
    const labelled = getLabel ? withLabels(withLabel(error, getLabel(field)), fields, getLabel) : error
    return { type: 'field', field, message: messages[error.code] ?? errorMessage(t, labelled) }
  }
  return { type: 'form', error, message: (!hasMessage(error) && failure) || errorMessage(t, error) }
}

/** Returns a copy of the refusal with the field's label in place of its name. */
export function withLabel(refusal: Refusal, label: string): Refusal {
  return new Refusal(refusal.code, { ...refusal.metadata, field: label }, { cause: refusal })
}

/** Replaces the names of other fields that the refusal compares, such as `field2`. */
function withLabels<F extends string>(refusal: Refusal, fields: readonly F[], getLabel: (field: F) => string): Refusal {
  const labels = Object.entries(refusal.metadata).flatMap(([name, value]) => {
    const field = /^field\d$/.test(name) ? fields.find((candidate) => candidate === value) : undefined
    return field === undefined ? [] : [[name, getLabel(field)] as const]
  })
  return new Refusal(refusal.code, { ...refusal.metadata, ...Object.fromEntries(labels) }, { cause: refusal.cause })
}
