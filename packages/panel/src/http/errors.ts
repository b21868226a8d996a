import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseError } from '../database/errors.ts'

/** Where every error of a request ends: a refusal is answered as it is, anything else is logged whole. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error, request.url)
  if (refusal.code === 'ErrUnknownError' && !refusal.unknown) request.log.error({ err: error }, 'a request failed')
  else if (refusal.status >= 500 && !isExpected(error))
    request.log.warn({ err: error }, 'a request failed because something else did')
  else {
    const { method, ip, routeOptions } = request
    const line = { code: refusal.code, status: refusal.status, method, route: routeOptions.url, ip }
    // Wrong passwords and codes are what an operator looks for afterwards.
    const isPublicWrite = method !== 'GET' && routeOptions.config?.access === 'public'
    request.log[isPublicWrite ? 'info' : 'debug'](line, 'a request was refused')
  }

  // What came before is not what is answered now: neither its cookies nor its length.
  for (const header of ['content-length', 'etag', 'set-cookie']) reply.removeHeader(header)
  reply.header('cache-control', 'no-store')
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer realm=""')
  if (typeof refusal.metadata.retryAfter === 'number') reply.header('retry-after', refusal.metadata.retryAfter)
  void reply
    .code(refusal.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelopeOf(refusal)))
}

/** A refusal that nothing else is behind, as that of a panel which is asked whether it is ready and is not. */
const isExpected = (error: unknown): boolean => error instanceof Refusal && error.cause === undefined

/** The refusals for what the web framework does not accept. */
const frameworkErrors: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'ErrBodyTooLarge',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'ErrInvalidJson',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'ErrInvalidJson',
  FST_ERR_CTP_INVALID_JSON_BODY: 'ErrInvalidJson',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'ErrInvalidJson',
  FST_ERR_BAD_URL: 'ErrNotFound',
}

function refusalOf(error: unknown, url: string): Refusal {
  if (error instanceof Refusal) return error
  if (isDatabaseError(error)) return new Refusal('ErrDatabaseNotAvailable', {}, { cause: error })
  if (isBadPathOfFile(error, url)) return new Refusal('ErrFieldInvalid', { field: 'path' }, { cause: error })
  if (error instanceof SyntaxError && 'statusCode' in error) return new Refusal('ErrInvalidJson', {}, { cause: error })
  const { code = '', statusCode = 500 } =
    error instanceof Error ? (error as { code?: string; statusCode?: number }) : {}
  // Files that may not be asked for are as absent as those that do not exist.
  const isAbsent = statusCode === 403 || statusCode === 404
  return new Refusal(frameworkErrors[code] ?? (isAbsent ? 'ErrNotFound' : 'ErrUnknownError'), {}, { cause: error })
}

/** What cannot be decoded leads nowhere, but the name of a file is something that a person typed. */
function isBadPathOfFile(error: unknown, url: string): boolean {
  const { code } = error instanceof Error ? (error as { code?: string }) : {}
  return code === 'FST_ERR_BAD_URL' && /^(\/proxy)?\/daemon\/server\//.test(url)
}
