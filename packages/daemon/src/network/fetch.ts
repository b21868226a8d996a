import { lookup } from 'node:dns/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { unescape as decoded } from 'node:querystring'
import { limits } from '@innkeeper/contract/limits'
import { isPublicAddress } from '@innkeeper/contract/public-address'
import { type Mirrors, resolveMirror } from '@innkeeper/contract/upstreams'
import { buildConnector, Client } from 'undici'
import { streamChunks } from './stream-chunks.ts'

export interface FetchOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** A body with more bytes ends in a `tooLarge` failure. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** An answer whose body is still to come. Whoever has it disposes of it, read or not. */
export interface Fetched extends AsyncDisposable {
  /** Where it came from, after redirects. */
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Read once. */
  readonly body: AsyncIterable<Uint8Array>
}

/** GETs an address of the public internet, following redirects; the only way out of a node by HTTP. */
export interface Fetcher {
  (url: URL, options: FetchOptions): Promise<Fetched>
  /** The backoff after the first failed attempt; each further one is longer by as much. */
  readonly retryMs?: number
}

/**
 * `forbidden`: not an address that may be fetched. `unreachable`: nobody answered. `broken`: the connection ended early.
 * `slow`: a time limit. `tooLarge`: a size limit. `redirects`: too many, or one to nowhere.
 */
export type FetchErrorKind = 'forbidden' | 'unreachable' | 'untrusted' | 'broken' | 'slow' | 'tooLarge' | 'redirects'

/** Why something could not be fetched, in words for people. */
export class FetchError extends Error {
  override readonly name = 'FetchFailure'
  readonly problem: FetchErrorKind

  constructor(problem: FetchErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }

  /** Whether another try may go better. */
  get isRetryable(): boolean {
    return ['unreachable', 'broken', 'slow'].includes(this.problem)
  }
}

interface Deps {
  /** `host:port` that may be fetched although they are not public: INNKEEPER_DOWNLOAD_ALLOW. */
  readonly allow: readonly string[]
  /** What is asked in the place of outside services; they may be anywhere. */
  readonly mirrors?: Mirrors | undefined
  readonly version: string
  readonly resolve?: (host: string) => Promise<readonly string[]>
  readonly idleMs?: number
  readonly totalMs?: number
  readonly connectMs?: number
  readonly retryMs?: number | undefined
}

/** Makes the fetcher of a node. Every address and every redirect is checked, and connected to as it was checked. */
export function createFetcher(deps: Deps): Fetcher {
  const { version, resolve = resolveBySystem, idleMs = limits.downloadIdleMs, totalMs = limits.downloadTotalMs } = deps
  const { connectMs = limits.downloadConnectMs, retryMs = limits.downloadRetryMs, mirrors = {} } = deps
  const allowed = new Set([
    ...deps.allow.map((entry) => hostAndPort(new URL(`http://${entry}`))),
    ...Object.values(mirrors).map((base) => hostAndPort(new URL(base))),
  ])

  async function fetchFrom(start: URL, { headers = {}, maxBytes, signal }: FetchOptions): Promise<Fetched> {
    const late = AbortSignal.timeout(totalMs)
    const deadline = signal ? AbortSignal.any([signal, late]) : late
    const translated = (error: unknown, url: URL) => {
      if (signal?.aborted) return signal.reason
      if (late.aborted) return new FetchError('slow', `${url.hostname} took too long`, { cause: error })
      return fetchErrorOf(error, url)
    }

    const first = resolveMirror(start, mirrors)
    let url = first
    for (let hop = 0; hop <= limits.downloadRedirects; hop++) {
      let answer: Answer
      try {
        const addresses = await allowedAddresses(url, deadline)
        answer = await ask(url, addresses, { ...headersFor(url, first, headers), ...basicAuth(url) }, deadline)
      } catch (error) {
        throw translated(error, url)
      }
      const { response } = answer
      const location = response.headers.location
      if (![301, 302, 303, 307, 308].includes(response.statusCode) || typeof location !== 'string') {
        const body = bounded(streamChunks(response.body), url, maxBytes, (error) => translated(error, url))
        const { statusCode: status } = response
        return { url, status, headers: response.headers, body, [Symbol.asyncDispose]: () => end(answer) }
      }
      await end(answer)
      url = resolveMirror(redirectTarget(url, location), mirrors)
    }
    throw new FetchError('redirects', `${start.hostname} redirects more than ${limits.downloadRedirects} times`)
  }
  return Object.assign(fetchFrom, { retryMs })

  /** The addresses of a host, all of which may be connected to. */
  async function allowedAddresses(url: URL, deadline: AbortSignal): Promise<readonly string[]> {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new FetchError('forbidden', `Only http and https addresses can be fetched, not ${url.protocol}`)
    }
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) ? [host] : await withAbort(resolve(host), deadline)
    if (addresses.length === 0) throw new FetchError('unreachable', `${url.hostname} has no address`)
    const isAllowed = (address: string) => isPublicAddress(address) || allowed.has(hostAndPort(url, address))
    if (!allowed.has(hostAndPort(url)) && !addresses.every(isAllowed)) {
      throw new FetchError(
        'forbidden',
        `${hostAndPort(url)} is not on the public internet. An administrator can allow it with INNKEEPER_DOWNLOAD_ALLOW`,
      )
    }
    return addresses
  }

  async function ask(url: URL, addresses: readonly string[], headers: Record<string, string>, deadline: AbortSignal) {
    const client = new Client(url.origin, {
      connect: connectorTo(addresses, connectMs),
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    })
    try {
      const response = await client.request({
        method: 'GET',
        path: `${url.pathname}${url.search}`,
        headers: { 'user-agent': `Innkeeper/${version}`, 'accept-encoding': 'identity', accept: '*/*', ...headers },
        signal: deadline,
      })
      return { client, response }
    } catch (error) {
      await client.destroy()
      throw error
    }
  }
}

/** An address to show: without user, password, and the values of parameters that look like secrets. */
export function printableUrl(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  for (const name of new Set(shown.searchParams.keys())) {
    if (/token|key|secret|pass|auth|sig|credential/i.test(name)) shown.searchParams.set(name, '***')
  }
  shown.hash = ''
  return shown.href
}

interface Answer {
  readonly client: Client
  readonly response: Awaited<ReturnType<Client['request']>>
}

async function end({ client, response }: Answer): Promise<void> {
  // What is left of the body is not wanted, so its end is no error.
  response.body.on('error', () => {})
  response.body.destroy()
  await client.destroy()
}

/** Connects to checked addresses only: whatever the name means by then, and however an address is written. */
function connectorTo(addresses: readonly string[], timeout: number): buildConnector.connector {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  const pinned: LookupFunction = (_host, options, give) => {
    const [first] = answers
    if (options.all) give(null, answers)
    else give(null, first?.address ?? '', first?.family)
  }
  const connect = buildConnector({ lookup: pinned, timeout, allowH2: false })
  return (target, done) => {
    connect(target, (...[error, socket]: buildConnector.CallbackArgs) => {
      if (error) return done(error, null)
      // An address in place of a name is connected to without asking `lookup`.
      if (!addresses.some((address) => isSame(address, socket.remoteAddress))) {
        socket.destroy()
        return done(new FetchError('forbidden', `${target.hostname} led to an address that was not checked`), null)
      }
      done(null, socket)
    })
  }
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
        throw new FetchError('tooLarge', `${url.hostname} sends more than the ${maxBytes} bytes that are allowed`)
      }
      yield part
    }
  } catch (error) {
    throw translated(error)
  }
}

function redirectTarget(url: URL, location: string): URL {
  const next = URL.parse(location, url.href)
  if (!next) throw new FetchError('redirects', `${url.hostname} redirects to something that is no address`)
  return next
}

/** Headers that say nothing of who asks. */
const redirectHeaders = ['accept', 'if-range', 'range', 'user-agent']

/** A redirect to another host does not take keys along. */
function headersFor(url: URL, first: URL, headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSame = url.origin === first.origin
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => isSame || redirectHeaders.includes(name.toLowerCase())),
  )
}

/** User and password of an address, as that very host wants them; a redirect to another does not take them along. */
function basicAuth(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {}
  const pair = `${decoded(url.username)}:${decoded(url.password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function hostAndPort(url: URL, address?: string): string {
  const host =
    address === undefined ? url.hostname : isIPv6(address) ? new URL(`http://[${address}]`).hostname : address
  return `${host}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

function isSame(address: string, connected: string | undefined): boolean {
  if (connected === undefined) return false
  return address === connected || (isIPv6(address) && isIPv6(connected) && canonical(address) === canonical(connected))
}

const canonical = (address: string): string => new URL(`http://[${address}]`).hostname

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** A name server that does not answer cannot be told to stop: stop waiting for it. */
async function withAbort<T>(asking: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([asking, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const errors: Readonly<Record<string, readonly [FetchErrorKind, (host: string) => string]>> = {
  ENOTFOUND: ['unreachable', (host) => `there is no host ${host}`],
  EAI_AGAIN: ['unreachable', (host) => `the address of ${host} could not be looked up`],
  ECONNREFUSED: ['unreachable', (host) => `${host} refused the connection`],
  EHOSTUNREACH: ['unreachable', (host) => `${host} cannot be reached`],
  ENETUNREACH: ['unreachable', (host) => `${host} cannot be reached`],
  ETIMEDOUT: ['unreachable', (host) => `${host} did not answer`],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', (host) => `${host} did not answer`],
  UND_ERR_HEADERS_TIMEOUT: ['slow', (host) => `${host} did not answer in time`],
  UND_ERR_BODY_TIMEOUT: ['slow', (host) => `${host} stopped sending`],
}

function fetchErrorOf(error: unknown, url: URL): unknown {
  if (!(error instanceof Error) || error instanceof FetchError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = Object.hasOwn(errors, code) ? errors[code] : undefined
  if (known) return new FetchError(known[0], known[1](url.hostname), { cause: error })
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code)) {
    const message = `the certificate of ${url.hostname} is not to be trusted (${error.message})`
    return new FetchError('untrusted', message, { cause: error })
  }
  return new FetchError('broken', `the connection to ${url.hostname} broke off (${error.message})`, { cause: error })
}
