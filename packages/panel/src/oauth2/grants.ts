import type { ResponseOf } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { withLock } from '@innkeeper/contract/mutex'
import type { OAuth2Error, token } from '@innkeeper/contract/oauth2'
import { Refusal } from '@innkeeper/contract/refusals'
import { z } from 'zod'
import type { Form, FormAnswer } from '../access/serve.ts'
import { neighbourhoodOf, type TriesService } from '../auth/tries.ts'
import type { ClientsService } from './clients.ts'

interface Needs {
  readonly clients: Pick<ClientsService, 'tokenFor'>
  readonly tries: Pick<TriesService, 'count' | 'takeBack'>
}

/** An answer of RFC 6749, with its status. */
interface Granted extends FormAnswer {
  readonly body: ResponseOf<typeof token> | OAuth2Error
}

/** What a client says it is. */
interface Shown {
  readonly id: string
  readonly secret: string
}

/** All that a published client reads of the scopes: rights are those of the owner, at each request. */
const scope = 'oauth2.auth'

export type GrantsService = ReturnType<typeof grantsService>

/** Tokens for OAuth2 clients, by RFC 6749: client credentials are the only grant. */
export function grantsService({ clients, tries }: Needs) {
  return {
    async grant({ form, authorization, address }: Form): Promise<Granted> {
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

      const sender = neighbourhoodOf(address)
      const attempts = [
        { what: `client ${shown.id.slice(0, 64)} ${sender}`, most: limits.loginAttempts },
        { what: `client ${sender}`, most: limits.loginAttemptsPerAddress },
      ] as const
      // Each attempt counts until its secret proved right. One after the other, so that a program which asks for many tokens
      // at the same moment is not refused.
      const checked = await withLock([attempts[0].what], async () => {
        const wait = await waitOf(tries.count(attempts))
        if (wait !== undefined) return { wait }
        const issued = await clients.tokenFor(shown.id, shown.secret)
        if (issued !== undefined) await tries.takeBack(attempts)
        return { issued }
      })
      if (checked.wait !== undefined) return tooManyAttempts(checked.wait)
      if (checked.issued === undefined) return unknownClient(isBasic, shown.id)
      const expires = limits.clientTokenLifeMs / 1000
      return { status: 200, body: { access_token: checked.issued, token_type: 'Bearer', expires_in: expires, scope } }
    },
  }
}

function refused(error: OAuth2Error['error'], description?: string): Granted {
  const more = description === undefined ? {} : { error_description: description }
  return { status: 400, body: { error, ...more } }
}

function tooManyAttempts(seconds: number): Granted {
  return {
    status: 429,
    body: { error: 'temporarily_unavailable', error_description: 'Too many wrong secrets.' },
    headers: { 'retry-after': String(seconds) },
  }
}

function unknownClient(isBasic: boolean, id: string | undefined): Granted {
  const body = {
    error: 'invalid_client',
    error_description: 'There is no such client, or its secret is another.',
  } as const
  // A secret that was put in the wrong field is not written down.
  const inVain = { code: body.error, target: z.uuid().safeParse(id).data }
  return isBasic
    ? { status: 401, body, inVain, headers: { 'www-authenticate': 'Basic realm="oauth2"' } }
    : { status: 400, body, inVain }
}

function fromForm(form: URLSearchParams): Shown | undefined {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')]
  return id === null || secret === null ? undefined : { id, secret }
}

/** Both parts are form-encoded before they are joined (RFC 6749, 2.3.1). */
function fromBasic(header: string): Shown | undefined {
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
async function waitOf(counting: Promise<void>): Promise<number | undefined> {
  try {
    await counting
    return undefined
  } catch (error) {
    // Here a refusal is told in the words of the RFC.
    if (error instanceof Refusal && error.code === 'ErrTooManyRequests') return Number(error.metadata.retryAfter)
    throw error
  }
}
