import { errorMessage } from '../errors/error-message.ts'
import { DeliveryError, type DeliveryResult, redact } from './delivery-error.ts'
import type { AlertMessage, RenderedAlert } from './messages.ts'
import { type AlertRequest, type AlertTarget, requestFor } from './requests.ts'

/** Delays before further attempts; after the last one the delivery has failed. */
export const alertRetryDelaysMs = [30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const
/** Timeout of one attempt. */
export const alertTimeoutMs = 15_000
/** The part of a response that is read. */
export const maxAlertResponseBytes = 16 * 1024

/**
 * Sends a request, without following redirects. Throws `notPublicAddress` for an address that is not allowed, which it
 * checks on connecting.
 */
export type PostRequest = (request: AlertRequest, signal: AbortSignal) => Promise<AlertResponse>

/** `text` is the beginning of the body. */
export interface AlertResponse {
  readonly status: number
  readonly text: string
}

interface Delivery {
  readonly target: AlertTarget
  readonly message: AlertMessage
  readonly rendered: RenderedAlert
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Makes one attempt to deliver a message to a channel that is not `mail`. Aborts with the signal. Never rejects: a message
 * that cannot be sent must not hold up those of others.
 */
export async function deliverAlert(
  post: PostRequest,
  { target, message, rendered, now }: Delivery,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const redacted = (words: string) => redact(words, [target.secret, target.url.href])
  try {
    const request = await requestFor(target, message, rendered, now)
    const { status, text } = await post(request, signal)
    const delivered = status >= 200 && status < 300
    const answer = redacted(`The service answered ${status}: ${text}`)
    return { delivered, answer, isFinal: delivered || status === 410 }
  } catch (error) {
    if (error instanceof DeliveryError)
      return { delivered: false, answer: redacted(error.message), isFinal: error.isFinal }
    const answer = signal.aborted ? 'The service took too long.' : redacted(errorMessage(error))
    return { delivered: false, answer, isFinal: false }
  }
}

/** The error for a host that alerts may not be sent to. */
export const notPublicAddress = (host: string): DeliveryError =>
  new DeliveryError(`${host} is not on the public internet. An administrator can allow it with INNKEEPER_ALERT_ALLOW`, {
    isFinal: true,
  })

/** Reads the part of a response that is displayed. */
export async function readAlertResponse(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const part of body) {
    text += decoder.decode(part.subarray(0, maxAlertResponseBytes - bytes), { stream: true })
    bytes += part.length
    if (bytes >= maxAlertResponseBytes) break
  }
  return text
}
