import type { OAuth2Error, token } from '@innkeeper/contract/accounts/oauth2'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { z } from 'zod'
import type { FormRequest, FormResponse } from '../routing/route-context.ts'
import { maxLoginAttempts, maxLoginAttemptsPerAddress, type RateLimiter } from '../security/rate-limiter.ts'
import { accessTokenLifetimeMs, type ClientsService } from './clients.ts'

interface Deps {
  readonly clients: Pick<ClientsService, 'issueToken'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
}

/** A token response of RFC 6749 with its status. */
export interface TokenResponse extends FormResponse {
  readonly body: ResponseOf<typeof token> | OAuth2Error
}

/** The client credentials of a request. */
interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

/** The only scope that existing clients read; permissions are those of the owner at each request. */
const scope = 'oauth2.auth'

export type GrantsService = ReturnType<typeof grantsService>

/** The OAuth2 token endpoint (RFC 6749) with the client credentials grant. */
export function grantsService({ clients, limiter }: Deps) {
  return {
    async grant({ form, authorization, address }: FormRequest): Promise<TokenResponse> {
      if (!form) return refused('invalid_request', 'The body must be application/x-www-form-urlencoded.')
      if (new Set(form.keys()).size < [...form.keys()].length) {
        return refused('invalid_request', 'A parameter is repeated.')
      }
      const isBasic = /^basic /i.test(authorization ?? '')
      const credentials = isBasic ? fromBasic(authorization ?? '') : fromForm(form)
      if (isBasic && form.has('client_secret')) {
        return refused('invalid_request', 'The client uses more than one method of authentication.')
      }
      const grantType = form.get('grant_type')
      if (grantType === null) return refused('invalid_request', 'grant_type is missing.')
      if (grantType !== 'client_credentials') return refused('unsupported_grant_type')
      if (!credentials && !isBasic) return refused('invalid_request', 'client_id or client_secret is missing.')
      if (!credentials || (isBasic && (form.get('client_id') ?? credentials.id) !== credentials.id))
        return unknownClient(isBasic, credentials?.id)

      const sender = clientSubnet(address)
      const attempts = [
        { key: `client ${credentials.id.slice(0, 64)} ${sender}`, max: maxLoginAttempts },
        { key: `client ${sender}`, max: maxLoginAttemptsPerAddress },
      ] as const
      // An attempt counts until its secret is verified. Attempts of a client are serialized, so that a program that
      // requests many tokens concurrently is not rate-limited.
      const checked = await withLock([attempts[0].key], async () => {
        const wait = await getRetryAfter(limiter.consume(attempts))
        if (wait !== undefined) return { wait }
        const issued = await clients.issueToken(credentials.id, credentials.secret, address)
        if (issued !== undefined) await limiter.refund(attempts)
        return { issued }
      })
      if (checked.wait !== undefined) return tooManyAttempts(checked.wait)
      if (checked.issued === undefined) return unknownClient(isBasic, credentials.id)
      const expires = accessTokenLifetimeMs / 1000
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
    error_description:
      'The client ID or the secret is wrong, or the client is paused, has ended or may not be used from this address.',
  } as const
  // A secret that was sent as the client ID must not be recorded.
  const failedAttempt = { code: body.error, target: z.uuid().safeParse(id).data }
  return isBasic
    ? { status: 401, body, failedAttempt, headers: { 'www-authenticate': 'Basic realm="oauth2"' } }
    : { status: 400, body, failedAttempt }
}

function fromForm(form: URLSearchParams): ClientCredentials | undefined {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')]
  return id === null || secret === null ? undefined : { id, secret }
}

/** ID and secret are form-encoded before they are joined (RFC 6749, 2.3.1). */
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
    // Invalid percent-encoding cannot be one of our clients.
    return undefined
  }
}

/** Seconds until the next attempt; `undefined` when the rate limit is not reached. */
async function getRetryAfter(rateLimited: Promise<void>): Promise<number | undefined> {
  try {
    await rateLimited
    return undefined
  } catch (error) {
    // This endpoint reports errors in the format of the RFC.
    if (error instanceof Refusal && error.code === 'ErrTooManyRequests') return Number(error.metadata.retryAfter)
    throw error
  }
}
