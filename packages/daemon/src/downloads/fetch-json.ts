import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod'
import { defaultRetryMs, type Fetcher, maxAttempts } from '../network/fetch.ts'
import { FetchError } from '../network/fetch-error.ts'
import { HttpStatusError, withMirrorHint } from './mirror-hint.ts'

export const maxMetadataBytes = 64 * 1024 ** 2
const metadataTimeoutMs = 120_000

/** Options of a request to an outside service. */
export interface FetchJsonOptions {
  readonly fetch: Fetcher
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the text at a URL; undefined for 404. */
export async function fetchText(url: URL, options: FetchJsonOptions): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readText(url, options)
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason
      const isRetryable = error instanceof FetchError && error.isRetryable && attempt < maxAttempts
      if (!isRetryable) throw withMirrorHint(error, url)
      const { retryMs = defaultRetryMs } = options.fetch
      await delay(retryMs * attempt, undefined, { signal: options.signal })
    }
  }
}

/** Returns the JSON at a URL, validated; undefined for 404. */
export async function fetchJson<S extends z.core.$ZodType>(
  url: URL,
  schema: S,
  options: FetchJsonOptions,
): Promise<z.output<S> | undefined> {
  const text = await fetchText(url, options)
  if (text === undefined) return undefined
  const read = z.safeParse(schema, parseJsonOrUndefined(text))
  if (read.success) return read.data
  throw unexpectedResponse(url, read.error.issues[0]?.path.join('.'))
}

/** The error for an unexpected response, with the path of the invalid value. */
export function unexpectedResponse(url: URL, where?: string): unknown {
  const words = `${url.hostname} sent an unexpected response${where ? ` (${where})` : ''}`
  return withMirrorHint(new FetchError('broken', words), url)
}

/** Like `fetchJson`, but a missing resource is an error. */
export async function requireJson<S extends z.core.$ZodType>(
  url: URL,
  schema: S,
  options: FetchJsonOptions,
): Promise<z.output<S>> {
  const found = await fetchJson(url, schema, options)
  if (found === undefined) throw withMirrorHint(new HttpStatusError(url, 404), url)
  return found
}

/** Parses a URL in a response. */
export function urlIn(text: string, source: URL): URL {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  throw new Error(`${source.hostname} sent an invalid URL: ${text.slice(0, 200)}`)
}

async function readText(url: URL, { fetch, signal, headers }: FetchJsonOptions): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(metadataTimeoutMs)
  const onError = (error: unknown) => {
    throw timeout.aborted && !signal.aborted ? timedOut(url, error) : error
  }
  await using fetched = await fetch(url, {
    ...(headers && { headers }),
    maxBytes: maxMetadataBytes,
    signal: AbortSignal.any([signal, timeout]),
  }).catch(onError)
  if (fetched.status === 404) return undefined
  if (fetched.status >= 300) throw new HttpStatusError(url, fetched.status)
  return (await buffer(fetched.body).catch(onError)).toString('utf8')
}

const timedOut = (url: URL, cause: unknown) => new FetchError('slow', `${url.hostname} took too long`, { cause })
