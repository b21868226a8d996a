import { Refusal, type RefusalCode, type RefusalMetadata } from '@innkeeper/contract/errors/refusals'
import { getCode } from '../errors/error-code.ts'

/** An error as it is sent between threads: structured clone loses error codes. */
export type SerializedError =
  | { readonly type: 'refusal'; readonly code: RefusalCode; readonly metadata: RefusalMetadata }
  | { readonly type: 'error'; readonly code: string; readonly message: string }

export function serializeError(error: unknown): SerializedError {
  if (error instanceof Refusal) return { type: 'refusal', code: error.code, metadata: error.metadata }
  return { type: 'error', code: getCode(error), message: error instanceof Error ? error.message : String(error) }
}

export function deserializeError(problem: SerializedError): Error {
  if (problem.type === 'refusal') return new Refusal(problem.code, problem.metadata)
  const { code, message } = problem
  return Object.assign(new Error(message), code === '' ? {} : { code })
}
