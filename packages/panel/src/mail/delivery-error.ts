import { trimEnd } from '@innkeeper/contract/trim-end'
import { onOneLine } from './messages.ts'

/** A provider did not accept a mail. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** Whether the failure is permanent: the mail is not retried. */
  readonly isFinal: boolean

  constructor(message: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options)
    this.isFinal = isFinal
  }
}

const most = 400

/** Prepares a provider's response for display: one line, truncated, with secrets redacted. */
export function redact(words: string, secrets: readonly string[]): string {
  let text = onOneLine(words)
  for (const secret of secrets.flatMap(withEncodings)) text = text.replaceAll(secret, '***')
  return text.length > most ? `${text.slice(0, most)}…` : text
}

/** A secret in plain and encoded form. Shorter ones are skipped, because they could match ordinary words. */
function withEncodings(secret: string): string[] {
  if (secret.length < 4) return []
  const encoded = trimEnd(Buffer.from(secret).toString('base64'), '=')
  return [secret, encoded, encodeURIComponent(secret)]
}
