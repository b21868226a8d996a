import type { RefusalCode } from '@innkeeper/contract/errors/refusals'
import { createContext } from 'react'
import { getRequestDetails, isRefusal } from '../../api/request.ts'
import { findText, type TFunction } from '../../i18n/i18n.tsx'
import { translateLabel } from '../names/variable-label.ts'
import { translateReason } from './reason-text.ts'

/** Opens the dialog with the details of a failed request. `retry` repeats it, where that is safe. */
export const ErrorDetailsContext = createContext<(error: unknown, retry?: () => void) => void>(() => undefined)

const unknownCodes: readonly RefusalCode[] = ['ErrUnknownError', 'ErrGeneric']

/** Whether the error has no meaning for a user, so that only the details help. */
export function isUnknownError(error: unknown): boolean {
  return !isRefusal(error) || isRefusal(error, ...unknownCodes)
}

/** Whether the error says more than "Unknown error": it is in the catalog, or a newer node or panel sent its message. */
export function hasMessage(error: unknown): boolean {
  return !isUnknownError(error) || (isRefusal(error) && Boolean(error.unknown?.msg))
}

/** The translated message of an error. */
export function errorMessage(t: TFunction, error: unknown): string {
  if (getRequestDetails(error)?.status === 0) return t('errors.Unreachable')
  if (!isRefusal(error)) return t('errors.ErrUnknownError')
  // A code of a newer node or panel has no translation: its English message is better than nothing.
  if (error.unknown?.msg) return error.message
  const isAboutField = 'field' in error.metadata
  const values = Object.entries(error.metadata).map(([name, value]) => {
    if (name.startsWith('field') || name === 'setting') return [name, fieldName(t, String(value))]
    if (name === 'reason') return [name, translateReason(t, String(value))]
    // A limit of a field is shown as it would be typed.
    return [name, isAboutField ? String(value) : value]
  })
  return t(`errors.${error.code}`, Object.fromEntries(values))
}

/** The HTTP status of an error (`500 Server error`); empty without a response. */
export function statusText(t: TFunction, error: unknown): string {
  const status = getRequestDetails(error)?.status ?? 0
  if (status === 0) return ''
  return findText(t, `errors.Status${status}`) ?? String(status)
}

/** The field that an error is about, if any. */
export function errorField(error: unknown): string | undefined {
  if (!isRefusal(error)) return undefined
  const field = error.metadata.field ?? error.metadata.field1
  return typeof field === 'string' ? field : undefined
}

function fieldName(t: TFunction, field: string): string {
  return findText(t, `errors.field.${field}`) ?? translateLabel(t, field)
}
