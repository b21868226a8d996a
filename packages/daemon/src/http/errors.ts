import { envelopeOf, Refusal } from '@innkeeper/contract/refusals'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** Turns every error into the envelope: refusals as they are, faults as ErrUnknownError with the whole story in the log. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = refusalFor(error)
    if (!refusal) log.error({ err: error, method: request.method, url: request.url }, 'a request failed')
    const told = refusal ?? new Refusal('ErrUnknownError')
    if (statusOf(told) === 401) reply.header('WWW-Authenticate', 'Bearer')
    return reply.code(statusOf(told)).send(envelopeOf(told))
  })
  app.setNotFoundHandler(async (_, reply) => {
    return reply.code(404).send(envelopeOf(new Refusal('ErrNotFound')))
  })
}

/** The expected no behind an error; `undefined` for a fault. */
export function refusalFor(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('ErrBodyTooLarge', {}, { cause: error })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Refusal('ErrInvalidJson', {}, { cause: error })
  }
  return undefined
}

/** Whoever has no valid ticket is nobody to a node, whatever the code says to people. */
export function statusOf(refusal: Refusal): number {
  return refusal.code === 'ErrTokenInvalid' ? 401 : refusal.status
}
