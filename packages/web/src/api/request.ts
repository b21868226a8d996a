import {
  type Endpoint,
  getPanelUrl,
  parseVersion,
  type RequestOf,
  type ResponseOf,
} from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { Emitter } from './emitter.ts'
import { getSessionToken } from './token.ts'

export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  readonly precondition?: Precondition
  /** The request continues when the page is unloaded. */
  readonly keepalive?: boolean
}

/**
 * The panel no longer knows the session of this token. The token is undefined when the request was sent without one,
 * because the cookie was gone.
 */
export const sessionLost = new Emitter<string | undefined>()

/** Emits `sessionLost` when a request with this token had the status 401. */
export function notifySessionLost(status: number, token: string | undefined): void {
  if (status === 401) sessionLost.emit(token)
}

/**
 * Asks the user for the password, and resolves to whether it was confirmed. Set by the app. Without it, requests that need
 * the password are refused.
 */
export type AskForPassword = () => Promise<boolean>
let askForPassword: AskForPassword | undefined
/** One question for all requests that need the password at the same time. */
let pendingQuestion: Promise<boolean> | undefined

/** Sets how users are asked for the password. Returns a function that ends it. */
export function onPasswordRequired(ask: AskForPassword): () => void {
  askForPassword = ask
  return () => {
    if (askForPassword === ask) askForPassword = undefined
  }
}

async function isPasswordConfirmed(): Promise<boolean> {
  if (!askForPassword) return false
  pendingQuestion ??= askForPassword().finally(() => {
    pendingQuestion = undefined
  })
  return pendingQuestion
}

interface RequestParts {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Makes an API call and returns its validated response. Every failure is a `Refusal`. */
export async function request<E extends Endpoint>(
  endpoint: E,
  input?: RequestOf<E>,
  options: RequestOptions = {},
): Promise<ResponseOf<E>> {
  return (await requestVersioned(endpoint, input, options)).response
}

/**
 * Like `request`, with the version and the content as received. What needs the password is repeated when the user has
 * confirmed it.
 */
export async function requestVersioned<E extends Endpoint>(
  endpoint: E,
  input?: RequestOf<E>,
  options: RequestOptions = {},
): Promise<VersionedResponse<ResponseOf<E>>> {
  try {
    return await send(endpoint, input, options)
  } catch (error) {
    if (!isRefusal(error, 'ErrPasswordRequired') || !(await isPasswordConfirmed())) throw error
    return await send(endpoint, input, options)
  }
}

async function send<E extends Endpoint>(
  endpoint: E,
  input: RequestOf<E> | undefined,
  { signal, headers = {}, precondition, keepalive = false }: RequestOptions,
): Promise<VersionedResponse<ResponseOf<E>>> {
  const { params, query, body } = requestParts(input)
  const path = getPanelUrl(endpoint, { params, query })
  const token = getSessionToken()
  const authorization = token === undefined ? undefined : `Bearer ${token}`
  const details = (status: number): RequestDetails => ({
    method: endpoint.method,
    path: getPanelUrl(endpoint, { params: redactParts(params), query: redactParts(query) }),
    status,
    timestamp: Date.now(),
    ...(body === undefined ? {} : { body: redact(body) }),
    ...(authorization === undefined ? {} : { authorization: redactToken(authorization) }),
  })

  const response = await fetch(path, {
    method: endpoint.method,
    signal: signal ?? null,
    credentials: 'same-origin',
    cache: 'no-store',
    keepalive,
    headers: {
      accept: 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }),
      ...headers,
      ...(precondition && toPreconditionHeaders(precondition)),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw attachRequestDetails(new Refusal('ErrServiceNotAvailable', {}, { cause }), details(0))
  })

  notifySessionLost(response.status, token)
  const content = parseContent(await response.text())
  if (!response.ok) {
    const { status } = response
    const isFromProxy = gatewayStatuses.has(status) && refusalFrom(content) === undefined
    throw attachRequestDetails(parseRefusal(status, content), {
      ...details(status),
      ...(isFromProxy ? { isFromProxy } : {}),
    })
  }
  const version = getVersion(response.headers)
  if (!endpoint.response) return { response: undefined as ResponseOf<E>, content, version }
  const read = endpoint.response.safeParse(content)
  if (!read.success) {
    throw attachRequestDetails(new Refusal('ErrUnknownError', {}, { cause: read.error }), details(response.status))
  }
  return { response: read.data as ResponseOf<E>, content, version }
}

/** Returns the input's parts without their types: which of them exist depends on the endpoint. */
export function requestParts<C extends Endpoint>(input: RequestOf<C> | undefined): RequestParts {
  return (input ?? {}) as RequestParts
}

function redactParts(parts: RequestParts['params']): RequestParts['params'] {
  return redact(parts) as RequestParts['params']
}

function parseContent(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    // A proxy in between sends a page of its own; the status tells what happened.
    return text
  }
}

/** What a proxy answers when it does not reach the panel. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * Parses an error response. A string body is parsed as JSON. A response that is not in the panel's format comes from
 * something in between: its status must not be taken for an answer of the panel, except that 401 ends the session.
 */
export function parseRefusal(status: number, content: unknown): Refusal {
  const body = typeof content === 'string' ? parseContent(content) : content
  return refusalFrom(body, status) ?? new Refusal(status === 401 ? 'ErrSessionTimedOut' : 'ErrUnknownError')
}

/** Whether an error is a refusal; with codes, one of these. */
export function isRefusal(error: unknown, ...codes: readonly RefusalCode[]): error is Refusal {
  return error instanceof Refusal && (codes.length === 0 || codes.includes(error.code))
}

/** A response with its version (`ETag`), which older releases do not send. */
export interface VersionedResponse<R> {
  readonly response: R
  /** The response as received, before validation. */
  readonly content: unknown
  readonly version: string | undefined
}

/** What a change requires: this version is still the current one, or nothing exists yet. Without a version, nothing. */
export type Precondition = { readonly version: string | undefined } | 'new'

/** The version in the headers of a response, without its quotes. */
export function getVersion(headers: Pick<Headers, 'get'>): string | undefined {
  return parseVersion(headers.get('etag') ?? undefined)
}

/** The headers of a change with this precondition: it fails with `ErrStaleVersion` or `ErrFileExists` otherwise. */
export function toPreconditionHeaders(precondition: Precondition): Readonly<Record<string, string>> {
  if (precondition === 'new') return { 'if-none-match': '*' }
  return precondition.version === undefined ? {} : { 'if-match': `"${precondition.version}"` }
}

/** A request and its result, to be shown and copied: without passwords and usable tokens. */
interface RequestDetails {
  readonly method: string
  readonly path: string
  /** 0 without a response. */
  readonly status: number
  /** The response is from a proxy that could not reach the panel. */
  readonly isFromProxy?: true
  /** Time of the response, epoch milliseconds. */
  readonly timestamp: number
  readonly body?: unknown
  readonly authorization?: string
}

const secretName = /pass(word)?|secret|token|^code$|^session$|^panel\.\w+\.key$/i
const mask = '********'

/** Returns a copy of a body with the values of secret-sounding names masked. */
export function redact(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(redact)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isSecretName(name) ? redactSecret(value) : redact(value)]),
  )
}

/** Masks a secret, or the `value` of a variable that holds one. */
function redactSecret(secret: unknown): unknown {
  if (typeof secret === 'string' || typeof secret === 'number') return mask
  const rest = redact(secret)
  return typeof rest === 'object' && rest !== null && 'value' in rest ? { ...rest, value: mask } : rest
}

/** Whether a name is that of a secret, such as a password or token. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Keeps the first characters of a credential: enough to tell two apart, too few to use it. */
export function redactToken(authorization: string): string {
  const [scheme = '', credential = ''] = authorization.split(' ')
  return `${scheme} ${credential.slice(0, 6)}…`
}

const detailsByError = new WeakMap<object, RequestDetails>()

/** Attaches the request to its error, for `getRequestDetails`. */
export function attachRequestDetails<E extends Error>(error: E, details: RequestDetails): E {
  detailsByError.set(error, details)
  return error
}

/** The request that an error came from, if any. */
export function getRequestDetails(error: unknown): RequestDetails | undefined {
  return typeof error === 'object' && error !== null ? detailsByError.get(error) : undefined
}

/** Whether the panel did not respond: it is down or unreachable. */
export function isPanelUnreachable(error: unknown): boolean {
  const details = getRequestDetails(error)
  return details !== undefined && (details.status === 0 || details.isFromProxy === true)
}
