import type { ResponseOf } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { withLock } from '@innkeeper/contract/mutex'
import type { OAuth2Error, token } from '@innkeeper/contract/oauth2'
import { Refusal } from '@innkeeper/contract/refusals'
import { z } from 'zod'
import type { FormRequest, FormResponse } from '../access/route-context.ts'
import { clientSubnet, type RateLimiter } from '../auth/rate-limiter.ts'
import type { ClientsService } from './clients.ts'

interface Deps {
  readonly clients: Pick<ClientsService, 'issueToken'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
}

/** An answer of RFC 6749, with its status. */
interface TokenResponse extends FormResponse {
  readonly body: ResponseOf<typeof token> | OAuth2Error
}

/** What a client says it is. */
interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

/** All that a published client reads of the scopes: rights are those of the owner, at each request. */
const scope = 'oauth2.auth'

export type GrantsService = ReturnType<typeof grantsService>

/** Tokens for OAuth2 clients, by RFC 6749: client credentials are the only grant. */
export function grantsService({ clients, limiter }: Deps) {
  return {
    async grant({ form, authorization, address }: FormRequest): Promise<TokenResponse> {
      if (!form) return refused('invalid_request', 'The body must be application/x-www-form-urlencoded.')
      if (new Set(form.keys()).size < [...form.keys()].length) {
        return refused('invalid_request', 'A parameter is there twice.')
      }
      const isBasic = /^basic /i.test(authorization ?? '')
      const shown = isBasic ? fromBasic(authorization ?? '') : fromForm(form)
      if (isBasic && form.has('client_secret')) {
        return refused('invalid_request', 'The client shows its secret in two ways.')
      }
      const grantType = form.get('grant_type')
      if (grantType === null) return refused('invalid_request', 'grant_type is missing.')
      if (grantType !== 'client_credentials') return refused('unsupported_grant_type')
      if (!shown && !isBasic) return refused('invalid_request', 'client_id or client_secret is missing.')
      if (!shown || (isBasic && (form.get('client_id') ?? shown.id) !== shown.id))
        return unknownClient(isBasic, shown?.id)

      const sender = clientSubnet(address)
      const attempts = [
        { key: `client ${shown.id.slice(0, 64)} ${sender}`, max: limits.loginAttempts },
        { key: `client ${sender}`, max: limits.loginAttemptsPerAddress },
      ] as const
      // Each attempt counts until its secret proved right. One after the other, so that a program which asks for many tokens
      // at the same moment is not refused.
      const checked = await withLock([attempts[0].key], async () => {
        const wait = await retryAfterOf(limiter.consume(attempts))
        if (wait !== undefined) return { wait }
        const issued = await clients.issueToken(shown.id, shown.secret)
        if (issued !== undefined) await limiter.refund(attempts)
        return { issued }
      })
      if (checked.wait !== undefined) return tooManyAttempts(checked.wait)
      if (checked.issued === undefined) return unknownClient(isBasic, shown.id)
      const expires = limits.clientTokenLifeMs / 1000
      return { status: 200, body: { access_token: checked.issued, token_type: 'Bearer', expires_in: expires, scope } }
    },
  }
}

function refused(error: OAuth2Error['error'], description?: string): TokenResponse {
  const headers = description === undefined ? {} : { error_description: description }
  return { status: 400, body: { error, ...headers } }
}

function tooManyAttempts(seconds: number): TokenResponse {
  return {
    status: 429,
    body: { error: 'temporarily_unavailable', error_description: 'Too many wrong secrets.' },
    headers: { 'retry-after': String(seconds) },
  }
}

function unknownClient(isBasic: boolean, id: string | undefined): TokenResponse {
  const body = {
    error: 'invalid_client',
    error_description: 'There is no such client, or its secret is another.',
  } as const
  // A secret that was put in the wrong field is not written down.
  const failedAttempt = { code: body.error, target: z.uuid().safeParse(id).data }
  return isBasic
    ? { status: 401, body, failedAttempt: failedAttempt, headers: { 'www-authenticate': 'Basic realm="oauth2"' } }
    : { status: 400, body, failedAttempt: failedAttempt }
}

function fromForm(form: URLSearchParams): ClientCredentials | undefined {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')]
  return id === null || secret === null ? undefined : { id, secret }
}

/** Both parts are form-encoded before they are joined (RFC 6749, 2.3.1). */
function fromBasic(header: string): ClientCredentials | undefined {
  const joined = Buffer.from(header.replace(/^basic +/i, ''), 'base64').toString('utf8')
  const at = joined.indexOf(':')
  if (at < 0) return undefined
  const [id, secret] = [formDecoded(joined.slice(0, at)), formDecoded(joined.slice(at + 1))]
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // An escape that stands for nothing is no client of ours.
    return undefined
  }
}

/** How many seconds one who tried too often has to wait; `undefined` when they have not. */
async function retryAfterOf(rateLimited: Promise<void>): Promise<number | undefined> {
  try {
    await rateLimited
    return undefined
  } catch (error) {
    // Here a refusal is told in the words of the RFC.
    if (error instanceof Refusal && error.code === 'ErrTooManyRequests') return Number(error.metadata.retryAfter)
    throw error
  }
}
