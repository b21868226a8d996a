import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import type { z } from 'zod'
import { type Fetcher, FetchFailure } from '../network/fetch.ts'
import { advised, WrongAnswer } from './advice.ts'

/** How an outside service is asked. */
export interface Asking {
  readonly fetch: Fetcher
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** The text at an address; `undefined` where the host says that there is none. */
export async function askForText(url: URL, asking: Asking): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await textAt(url, asking)
    } catch (error) {
      if (asking.signal.aborted) throw asking.signal.reason
      const mayPass = error instanceof FetchFailure && error.mayPass && attempt < limits.downloadAttempts
      if (!mayPass) throw advised(error, url)
      const { retryMs = limits.downloadRetryMs } = asking.fetch
      await delay(retryMs * attempt, undefined, { signal: asking.signal })
    }
  }
}

/** What an address answers, of the shape that was agreed on; `undefined` where there is nothing. */
export async function askFor<S extends z.ZodType>(
  url: URL,
  shape: S,
  asking: Asking,
): Promise<z.output<S> | undefined> {
  const text = await askForText(url, asking)
  if (text === undefined) return undefined
  const read = shape.safeParse(asJson(text))
  if (read.success) return read.data
  throw notUnderstood(url, read.error.issues[0]?.path.join('.'))
}

/** Why an answer cannot be used: it is of no shape that was agreed on, at this place of it. */
export function notUnderstood(url: URL, where?: string): unknown {
  const words = `${url.hostname} answered something that is not understood${where ? ` (${where})` : ''}`
  return advised(new FetchFailure('broken', words), url)
}

/** Like `askFor`, where it is an error that there is nothing. */
export async function demand<S extends z.ZodType>(url: URL, shape: S, asking: Asking): Promise<z.output<S>> {
  const found = await askFor(url, shape, asking)
  if (found === undefined) throw advised(new WrongAnswer(url, 404), url)
  return found
}

/** The address that an answer names. */
export function addressIn(text: string, source: URL): URL {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  throw new Error(`${source.hostname} names something that is no address: ${text.slice(0, 200)}`)
}

async function textAt(url: URL, { fetch, signal, headers }: Asking): Promise<string | undefined> {
  const late = AbortSignal.timeout(limits.upstreamTimeoutMs)
  await using fetched = await fetch(url, {
    ...(headers && { headers }),
    maxBytes: limits.upstreamResponseBytes,
    signal: AbortSignal.any([signal, late]),
  }).catch((error: unknown) => {
    throw late.aborted && !signal.aborted ? tooLate(url, error) : error
  })
  if (fetched.status === 404) return undefined
  if (fetched.status >= 300) throw new WrongAnswer(url, fetched.status)
  const parts: Uint8Array[] = []
  try {
    for await (const part of fetched.body) parts.push(part)
  } catch (error) {
    throw late.aborted && !signal.aborted ? tooLate(url, error) : error
  }
  return Buffer.concat(parts).toString('utf8')
}

const tooLate = (url: URL, cause: unknown) => new FetchFailure('slow', `${url.hostname} took too long`, { cause })

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What is none has no shape that anybody agreed on.
    return undefined
  }
}
