import type { IncomingHttpHeaders } from 'node:http'
import { unescape as decoded } from 'node:querystring'
import { type Mirrors, resolveMirror } from '@innkeeper/contract/http/upstreams'
import { Client } from 'undici'
import { withRollback } from '../errors/cleanup.ts'
import { addressCheck, createConnector } from './checked-addresses.ts'
import { FetchError, type FetchErrorKind } from './fetch-error.ts'
import { streamChunks } from './stream-chunks.ts'

const idleTimeoutMs = 60_000
/** Timeout of a whole download. */
export const totalTimeoutMs = 6 * 60 * 60 * 1000
export const maxRedirects = 5
export const maxAttempts = 3
/** Pause before another attempt. */
export const defaultRetryMs = 500
const connectTimeoutMs = 10_000

export interface FetchOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** A larger body ends with a `tooLarge` error. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** A response with its body stream. The caller must dispose of it, read or not. */
export interface Fetched extends AsyncDisposable {
  /** The URL after redirects. */
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Can be read once. */
  readonly body: AsyncIterable<Uint8Array>
}

/** GETs URLs of the public internet and follows redirects. */
export interface Fetcher {
  (url: URL, options: FetchOptions): Promise<Fetched>
  /** The backoff after the first failed attempt; grows linearly. */
  readonly retryMs?: number
}

interface Deps {
  /** Allowed non-public `host:port` targets: INNKEEPER_DOWNLOAD_ALLOW. */
  readonly allow: readonly string[]
  /** Mirrors of outside services; may have any address. */
  readonly mirrors?: Mirrors | undefined
  readonly version: string
  readonly resolve?: (host: string) => Promise<readonly string[]>
  readonly idleMs?: number
  readonly totalMs?: number
  readonly connectMs?: number
  readonly retryMs?: number | undefined
}

/** Creates the fetcher of a node. Every URL and redirect is checked, and connections go to the checked addresses. */
export function createFetcher(deps: Deps): Fetcher {
  const { version, allow, resolve, idleMs = idleTimeoutMs, totalMs = totalTimeoutMs } = deps
  const { connectMs = connectTimeoutMs, retryMs = defaultRetryMs, mirrors = {} } = deps
  const allowedAddresses = addressCheck({
    allow,
    trusted: Object.values(mirrors).map((base) => new URL(base)),
    resolve,
  })

  async function fetchFrom(start: URL, { headers = {}, maxBytes, signal }: FetchOptions): Promise<Fetched> {
    const timeout = AbortSignal.timeout(totalMs)
    const deadline = signal ? AbortSignal.any([signal, timeout]) : timeout
    const translated = (error: unknown, url: URL) => {
      if (signal?.aborted) return signal.reason
      if (timeout.aborted) return new FetchError('slow', `${url.hostname} took too long`, { cause: error })
      return getFetchError(error, url)
    }

    const first = resolveMirror(start, mirrors)
    let url = first
    for (let hop = 0; hop <= maxRedirects; hop++) {
      let attempt: FetchAttempt
      try {
        const addresses = await allowedAddresses(url, deadline)
        attempt = await sendRequest(url, addresses, { ...headersFor(url, first, headers), ...basicAuth(url) }, deadline)
      } catch (error) {
        throw translated(error, url)
      }
      const { response } = attempt
      const location = response.headers.location
      if (![301, 302, 303, 307, 308].includes(response.statusCode) || typeof location !== 'string') {
        const body = bounded(streamChunks(response.body), url, maxBytes, (error) => translated(error, url))
        const { statusCode: status } = response
        return { url, status, headers: response.headers, body, [Symbol.asyncDispose]: () => end(attempt) }
      }
      await end(attempt)
      url = resolveMirror(redirectTarget(url, location), mirrors)
    }
    throw new FetchError('redirects', `${start.hostname} redirects more than ${maxRedirects} times`)
  }
  return Object.assign(fetchFrom, { retryMs })

  async function sendRequest(
    url: URL,
    addresses: readonly string[],
    headers: Record<string, string>,
    deadline: AbortSignal,
  ) {
    const client = new Client(url.origin, {
      connect: createConnector(addresses, connectMs),
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    })
    const requesting = client.request({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { 'user-agent': `Innkeeper/${version}`, 'accept-encoding': 'identity', accept: '*/*', ...headers },
      signal: deadline,
    })
    return { client, response: await withRollback(requesting, () => client.destroy()) }
  }
}

/** A URL to display: without user, password, and values of parameters that look like secrets. */
export function redactUrl(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  for (const name of new Set(shown.searchParams.keys())) {
    if (/token|key|secret|pass|auth|sig|credential/i.test(name)) shown.searchParams.set(name, '***')
  }
  shown.hash = ''
  return shown.href
}

interface FetchAttempt {
  readonly client: Client
  readonly response: Awaited<ReturnType<Client['request']>>
}

async function end({ client, response }: FetchAttempt): Promise<void> {
  // The rest of the body is discarded, so its error is ignored.
  response.body.on('error', () => {})
  response.body.destroy()
  await client.destroy()
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  url: URL,
  maxBytes: number,
  translated: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const part of body) {
      size += part.length
      if (size > maxBytes) {
        throw new FetchError('tooLarge', `${url.hostname} sends more than the limit of ${maxBytes} bytes`)
      }
      yield part
    }
  } catch (error) {
    throw translated(error)
  }
}

function redirectTarget(url: URL, location: string): URL {
  const next = URL.parse(location, url.href)
  if (!next) throw new FetchError('redirects', `${url.hostname} redirects to an invalid URL`)
  return next
}

/** Headers without credentials. */
const redirectHeaders = ['accept', 'if-range', 'range', 'user-agent']

/** A redirect to another host does not receive credentials. */
function headersFor(url: URL, first: URL, headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSame = url.origin === first.origin
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => isSame || redirectHeaders.includes(name.toLowerCase())),
  )
}

/** Basic authentication from the URL's user and password; not sent to redirect targets. */
function basicAuth(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {}
  const pair = `${decoded(url.username)}:${decoded(url.password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

const errors: Readonly<Record<string, readonly [FetchErrorKind, (host: string) => string]>> = {
  ENOTFOUND: ['unreachable', (host) => `the host ${host} does not exist`],
  EAI_AGAIN: ['unreachable', (host) => `failed to look up the address of ${host}`],
  ECONNREFUSED: ['unreachable', (host) => `${host} refused the connection`],
  EHOSTUNREACH: ['unreachable', (host) => `${host} is unreachable`],
  ENETUNREACH: ['unreachable', (host) => `${host} is unreachable`],
  ETIMEDOUT: ['unreachable', (host) => `${host} did not respond`],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', (host) => `${host} did not respond`],
  UND_ERR_HEADERS_TIMEOUT: ['slow', (host) => `${host} did not respond in time`],
  UND_ERR_BODY_TIMEOUT: ['slow', (host) => `${host} stopped sending`],
}

function getFetchError(error: unknown, url: URL): unknown {
  if (!(error instanceof Error) || error instanceof FetchError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = Object.hasOwn(errors, code) ? errors[code] : undefined
  if (known) return new FetchError(known[0], known[1](url.hostname), { cause: error })
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code)) {
    const message = `the certificate of ${url.hostname} is not trusted (${error.message})`
    return new FetchError('untrusted', message, { cause: error })
  }
  return new FetchError('broken', `the connection to ${url.hostname} was interrupted (${error.message})`, {
    cause: error,
  })
}
