import type { RefusalCode } from '@innkeeper/contract/refusals'
import { createContext } from 'react'
import { isUnreachable, recordOf } from '../api/record.ts'
import { isRefusal } from '../api/request.ts'
import type { Text } from '../i18n/text.tsx'

/** Opens the overlay that shows a failed request; `again` repeats it where that is safe. */
export const ErrorDetailsContext = createContext<(error: unknown, again?: () => void) => void>(() => undefined)

const withoutMeaning: readonly RefusalCode[] = ['ErrUnknownError', 'ErrGeneric']

/** Whether the code says nothing a person could act on, so that only the details help. */
export function isUnexplained(error: unknown): boolean {
  return !isRefusal(error) || isRefusal(error, ...withoutMeaning)
}

/** What a person reads about an error, in their language. */
export function messageOf(text: Text, error: unknown): string {
  if (isUnreachable(error)) return text('errors.Unreachable')
  if (!isRefusal(error)) return text('errors.ErrUnknownError')
  // A newer node or panel says it in English, which helps more than nothing.
  if (error.unknown) return error.message
  const values = Object.entries(error.metadata).map(([name, value]) => [
    name,
    name.startsWith('field') || name === 'setting' ? fieldName(text, String(value)) : value,
  ])
  return text(`errors.${error.code}`, Object.fromEntries(values))
}

/** `500 Server error`: what the status of the answer says; empty when there was none. */
export function statusHint(text: Text, error: unknown): string {
  const status = recordOf(error)?.status ?? 0
  if (status === 0) return ''
  const known = [401, 403, 404, 500, 502].includes(status)
  return known ? text(`errors.Status${status}`) : String(status)
}

/** The field that a refusal is about; `undefined` when it names none. */
export function fieldOf(error: unknown): string | undefined {
  if (!isRefusal(error)) return undefined
  const field = error.metadata.field
  return typeof field === 'string' ? field : undefined
}

function fieldName(text: Text, field: string): string {
  const key = `errors.field.${field}`
  const name = text(key)
  return name === key ? field : name
}
