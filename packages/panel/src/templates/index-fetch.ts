import { decodeOrKeep } from '@innkeeper/contract/alerts/requests'
import { Agent, request } from 'undici'
import { addressRules } from '../network/public-address.ts'

/** Compressed size. */
const maxIndexBytes = 16 * 1024 ** 2
const indexTimeoutMs = 20_000
const maxRedirects = 5

/** An index could not be fetched; the message is for users. */
export class IndexError extends Error {
  override readonly name = 'IndexError'
}

interface Bounds {
  readonly version: string
  /** Whether the index itself may have a private address. */
  readonly mayBePrivate: boolean
  readonly totalMs?: number
  readonly maxBytes?: number
}

/**
 * Fetches the configured index. Redirects must lead to public addresses, so that the index server cannot make the panel
 * request internal services (SSRF).
 */
export async function fetchIndex(start: URL, bounds: Bounds): Promise<Buffer> {
  const { version, mayBePrivate, totalMs = indexTimeoutMs, maxBytes = maxIndexBytes } = bounds
  const late = AbortSignal.timeout(totalMs)
  let url = start
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const isOwn = url.host === start.host && url.protocol === start.protocol
    const isUnchecked = isOwn && mayBePrivate
    if (!isUnchecked && !publicOnly.mayBeAllowed(url)) throw notPublic(url.hostname)
    const agent = new Agent(isUnchecked ? {} : { connect: { lookup: publicOnly.lookupFor(url) } })
    try {
      const {
        statusCode: status,
        headers,
        body,
      } = await request(withoutCredentials(url), {
        dispatcher: agent,
        signal: late,
        headers: { 'user-agent': `Innkeeper/${version}`, accept: '*/*', ...(isOwn ? basicAuth(start) : {}) },
      })
      const { location } = headers
      if ([301, 302, 303, 307, 308].includes(status) && typeof location === 'string') {
        url = resolveRedirect(url, location)
        continue
      }
      if (status !== 200) throw new IndexError(`${url.hostname} answered ${status}`)
      return await readAll(body, url, maxBytes)
    } catch (error) {
      if (error instanceof IndexError) throw error
      if (late.aborted) throw new IndexError(`${url.hostname} took too long`, { cause: error })
      throw new IndexError(`${url.hostname}: ${getMessage(error)}`, { cause: error })
    } finally {
      await agent.destroy()
    }
  }
  throw new IndexError(`${start.hostname} redirects too often`)
}

async function readAll(body: AsyncIterable<Uint8Array>, url: URL, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > maxBytes) throw new IndexError(`${url.hostname} sends more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function resolveRedirect(url: URL, location: string): URL {
  const next = URL.parse(location, url.href)
  if (next && ['http:', 'https:'].includes(next.protocol)) return next
  throw new IndexError(`${url.hostname} redirects to an unsupported URL`)
}

const notPublic = (host: string) => new IndexError(`${host} is not on the public internet`)

const publicOnly = addressRules(notPublic)

/** Credentials of the configured URL are sent to its own host only. */
function basicAuth({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeOrKeep(username)}:${decodeOrKeep(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function withoutCredentials(url: URL): URL {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain
}

function getMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error && typeof error.code === 'string' ? error.code : error.name)
}
