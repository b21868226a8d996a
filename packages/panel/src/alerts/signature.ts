import { createHmac, randomBytes } from 'node:crypto'

/** Secrets and signatures have the format of Standard Webhooks, for which there are libraries. */
const prefix = 'whsec_'

export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

interface SignedParts {
  readonly id: string
  /** Epoch seconds. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of a signed request. */
export function signatureHeaders(secret: string, { id, timestamp, body }: SignedParts): Record<string, string> {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
}
