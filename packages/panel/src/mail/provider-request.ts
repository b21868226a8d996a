import { DeliveryError } from '@innkeeper/contract/alerts/delivery-error'
import { request } from 'undici'

interface ProviderRequest {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly body: URLSearchParams | Readonly<Record<string, unknown>>
}

const maxResponseBytes = 64 * 1024

/** Sends a mail to a service with HTTP Basic authentication, and returns the response as JSON or text. */
export async function sendRequest(
  { url, user, password, body }: ProviderRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const isForm = body instanceof URLSearchParams
  try {
    const response = await request(url, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        accept: 'application/json',
      },
      body: isForm ? body.toString() : JSON.stringify(body),
      signal,
    })
    const text = await readAll(response.body)
    const { statusCode: status } = response
    if (status >= 200 && status < 300) return read(text)
    const isOurs = [400, 413, 422].includes(status)
    throw new DeliveryError(`The service answered ${status}: ${getMessage(read(text))}`, { isFinal: isOurs })
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    if (signal.aborted) throw new DeliveryError('The service took too long.', { cause: error })
    throw new DeliveryError(error instanceof Error ? error.message || error.name : String(error), { cause: error })
  }
}

/** The message in the response of a service, for display. */
export function getMessage(body: unknown): string {
  if (typeof body === 'string') return body
  const { message, ErrorMessage } = (body ?? {}) as { message?: unknown; ErrorMessage?: unknown }
  if (typeof message === 'string') return message
  if (typeof ErrorMessage === 'string') return ErrorMessage
  return JSON.stringify(body) ?? ''
}

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy or a failing service may respond with anything: the text is displayed.
    return text
  }
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxResponseBytes) break
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
