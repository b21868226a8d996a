import type { Readable } from 'node:stream'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'

export interface NodeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/** Responses to the panel's own requests are small; a longer one is an error of the node. */
const maxResponseBytes = 16 * 1024 * 1024

/** Returns the node's refusal. A rejected ticket is an error of the panel, not of the user. */
export function getRefusal(status: number, body: unknown): Refusal {
  const refusal = refusalFrom(body, status)
  if (refusal && refusal.code !== 'ErrTokenInvalid' && status !== 401) return refusal
  return new Refusal(
    'ErrServiceNotAvailable',
    {},
    { cause: refusal ?? new Error(`The node responded with ${status}.`) },
  )
}

/** Reads a whole response. */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number = maxResponseBytes): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxBytes) throw new Error('The response of the node is too long.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
