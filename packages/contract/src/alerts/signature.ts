import { fromBase64, toBase64 } from '../text/base64.ts'

/** Secrets and signatures have the format of Standard Webhooks, for which there are libraries. */
export const secretPrefix = 'whsec_'

interface SignedParts {
  readonly id: string
  /** Epoch seconds. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of a signed request. */
export async function signatureHeaders(
  secret: string,
  { id, timestamp, body }: SignedParts,
): Promise<Record<string, string>> {
  const secretBytes = fromBase64(secret.slice(secretPrefix.length))
  const key = await crypto.subtle.importKey('raw', secretBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signature = toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)))
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
}
