import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { findDiskError } from '../../errors/error-code.ts'

/** Sends every error as an error response: refusals as they are, faults as ErrUnknownError with details in the log. */
export function registerErrorHandler(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler(async (error, request, reply) => sendError(error, request, reply, log))
  app.setNotFoundHandler(async (_, reply) => {
    return reply.code(404).send(toEnvelope(new Refusal('ErrNotFound')))
  })
}

/** Sends one error; also called by Fastify for invalid requests, such as a bad URL. */
export function sendError(error: unknown, { method, url }: FastifyRequest, reply: FastifyReply, log: Logger) {
  const refusal = refusalFor(error)
  if (!refusal) log.error({ err: error, method, url }, 'a request failed')
  else if (refusal.code === 'ErrDisk') log.warn({ err: error, method, url }, 'a disk error')
  const refusalOrUnknown = refusal ?? new Refusal('ErrUnknownError')
  if (getStatus(refusalOrUnknown) === 401) reply.header('WWW-Authenticate', 'Bearer')
  // Headers that the handler set before it failed.
  for (const name of bodyHeaders) reply.removeHeader(name)
  return reply.code(getStatus(refusalOrUnknown)).send(toEnvelope(refusalOrUnknown))
}

const bodyHeaders = ['content-length', 'content-type', 'content-disposition', 'etag', 'last-modified', 'accept-ranges']

/** The refusal for an expected error; undefined for a fault. */
export function refusalFor(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_BAD_URL') return new Refusal('ErrFieldInvalid', { field: 'path' }, { cause: error })
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('ErrBodyTooLarge', {}, { cause: error })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Refusal('ErrInvalidJson', {}, { cause: error })
  }
  const diskError = findDiskError(error)
  return diskError === undefined ? undefined : new Refusal('ErrDisk', { reason: diskError }, { cause: error })
}

/** Without a valid ticket a request is unauthorized, whatever status the code has for users. */
export function getStatus(refusal: Refusal): number {
  return refusal.code === 'ErrTokenInvalid' ? 401 : refusal.status
}
