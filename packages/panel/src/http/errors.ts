import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseError } from '../database/errors.ts'

/** Error handler: a refusal is returned as it is, any other error is logged in full. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = getRefusal(error, request.url)
  if (refusal.code === 'ErrUnknownError' && !refusal.unknown) request.log.error({ err: error }, 'a request failed')
  else if (refusal.status >= 500 && !isExpected(error))
    request.log.warn({ err: error }, 'a request failed because of another failure')
  else {
    const { method, ip, routeOptions } = request
    const line = { code: refusal.code, status: refusal.status, method, route: routeOptions.url, ip }
    // Wrong passwords and codes are logged for the operator.
    const isPublicWrite = method !== 'GET' && routeOptions.config?.access === 'public'
    request.log[isPublicWrite ? 'info' : 'debug'](line, 'a request was rejected')
  }

  // Drop headers that the handler set before it failed.
  for (const header of ['content-length', 'etag', 'set-cookie']) reply.removeHeader(header)
  reply.header('cache-control', 'no-store')
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer realm=""')
  if (typeof refusal.metadata.retryAfter === 'number') reply.header('retry-after', refusal.metadata.retryAfter)
  void reply
    .code(getStatus(error, refusal))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toEnvelope(refusal)))
}

/** A refusal without a cause, for example of a readiness check. */
const isExpected = (error: unknown): boolean => error instanceof Refusal && error.cause === undefined

/** Maps errors of Fastify to refusals. */
const frameworkErrors: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'ErrBodyTooLarge',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'ErrInvalidJson',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'ErrInvalidJson',
  FST_ERR_CTP_INVALID_JSON_BODY: 'ErrInvalidJson',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'ErrInvalidJson',
  FST_ERR_BAD_URL: 'ErrNotFound',
}

/** Refusals for other errors of libraries that blame the client, by status. */
const clientErrors: Readonly<Record<number, RefusalCode>> = {
  // Files that may not be served respond like missing files.
  403: 'ErrNotFound',
  404: 'ErrNotFound',
  412: 'ErrStaleVersion',
  413: 'ErrBodyTooLarge',
}

/** The status of an error: that of its refusal, or what a library said about the client. */
function getStatus(error: unknown, refusal: Refusal): number {
  const status = findClientStatus(error)
  return refusal.code === 'ErrFieldInvalid' && refusal !== error && status !== undefined ? status : refusal.status
}

/** 400 to 499 if an error of a library has such a status. */
function findClientStatus(error: unknown): number | undefined {
  const { statusCode = 500 } = error instanceof Error ? (error as { statusCode?: number }) : {}
  return statusCode >= 400 && statusCode < 500 ? statusCode : undefined
}

function getRefusal(error: unknown, url: string): Refusal {
  if (error instanceof Refusal) return error
  if (isDatabaseError(error)) return new Refusal('ErrDatabaseNotAvailable', {}, { cause: error })
  if (isBadPathOfFile(error, url)) return new Refusal('ErrFieldInvalid', { field: 'path' }, { cause: error })
  if (error instanceof SyntaxError && 'statusCode' in error) return new Refusal('ErrInvalidJson', {}, { cause: error })
  const { code = '' } = error instanceof Error ? (error as { code?: string }) : {}
  const status = findClientStatus(error)
  const known = frameworkErrors[code] ?? (status === undefined ? 'ErrUnknownError' : clientErrors[status])
  return known
    ? new Refusal(known, {}, { cause: error })
    : new Refusal('ErrFieldInvalid', { field: 'request' }, { cause: error })
}

/** A path that cannot be decoded is not found, except that of a file, which a user typed. */
function isBadPathOfFile(error: unknown, url: string): boolean {
  const { code } = error instanceof Error ? (error as { code?: string }) : {}
  return code === 'FST_ERR_BAD_URL' && /^(\/proxy)?\/daemon\/server\//.test(url)
}
