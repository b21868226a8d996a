import { onOneLine } from '../errors/one-line.ts'
import { toBase64 } from '../text/base64.ts'
import { trimEnd } from '../text/trim-end.ts'

/** A service did not accept a mail or an alert. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** Whether the failure is permanent: it is not retried. */
  readonly isFinal: boolean

  constructor(message: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options)
    this.isFinal = isFinal
  }
}

/** Result of a delivery, with the service's response (secrets redacted). */
export interface DeliveryResult {
  readonly delivered: boolean
  readonly answer: string
  /** Whether the failure is permanent. */
  readonly isFinal: boolean
}

const most = 400

/** Prepares a service's response for display: one line, truncated, with secrets redacted. */
export function redact(words: string, secrets: readonly string[]): string {
  let text = onOneLine(words)
  for (const secret of secrets.flatMap(withEncodings)) text = text.replaceAll(secret, '***')
  return text.length > most ? `${text.slice(0, most)}…` : text
}

/** A secret in plain and encoded form. Shorter ones are skipped, because they could match ordinary words. */
function withEncodings(secret: string): string[] {
  if (secret.length < 4) return []
  const encoded = trimEnd(toBase64(secret), '=')
  return [secret, encoded, encodeURIComponent(secret)]
}
