import { Readable } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import type { NodeResponse } from '../nodes/client/node-response.ts'

/** Error bodies are small; at most this much of a longer body is buffered. */
const envelopeBytes = 16 * 1024

/** Reads the refusal in a node's error response, and returns the response with its body unread. */
export async function peekError(
  response: NodeResponse,
): Promise<{ response: NodeResponse; refusal?: Refusal | undefined }> {
  const { status, headers, body } = response
  const isReadable = String(headers['content-type']).includes('json') && headers['content-encoding'] === undefined
  if (status < 400 || !isReadable) return { response }
  const parts: Buffer[] = []
  let bytes = 0
  const coming: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  const late = setTimeout(() => body.destroy(new Error('The node did not complete its response.')), limits.nodeCallMs)
  try {
    for (let next = await coming.next(); !next.done; next = await coming.next()) {
      parts.push(next.value)
      bytes += next.value.length
      if (bytes > envelopeBytes) return { response: { ...response, body: Readable.from(following(parts, coming)) } }
    }
  } catch (error) {
    throw new Refusal('ErrServiceNotAvailable', {}, { cause: error })
  } finally {
    clearTimeout(late)
  }
  const whole = Buffer.concat(parts)
  return { response: { ...response, body: Readable.from([whole]) }, refusal: refusalIn(whole, status) }
}

/** The buffered part, then the rest; destroying it aborts the response of the node. */
async function* following(parts: readonly Buffer[], coming: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* parts
    for (let next = await coming.next(); !next.done; next = await coming.next()) yield next.value
  } finally {
    await coming.return?.()
  }
}

function refusalIn(body: Buffer, status: number): Refusal | undefined {
  try {
    return refusalFrom(JSON.parse(body.toString('utf8')), status)
  } catch {
    // Invalid JSON is forwarded like anything else.
    return undefined
  }
}
