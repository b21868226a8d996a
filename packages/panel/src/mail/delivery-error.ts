import { trimEnd } from '@innkeeper/contract/trim-end'
import { onOneLine } from './messages.ts'

/** A provider did not take a letter. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** Whether the same letter would never be taken: it is not tried again. */
  readonly isFinal: boolean

  constructor(message: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options)
    this.isFinal = isFinal
  }
}

const most = 400

/** A provider's words as they may be shown: on one line, bounded, and without the secrets that we sent it. */
export function redact(words: string, secrets: readonly string[]): string {
  let text = onOneLine(words)
  for (const secret of secrets.flatMap(withEncodings)) text = text.replaceAll(secret, '***')
  return text.length > most ? `${text.slice(0, most)}…` : text
}

/** A secret as it is, and as it goes over the wire. Shorter ones would hide words that are none. */
function withEncodings(secret: string): string[] {
  if (secret.length < 4) return []
  const encoded = trimEnd(Buffer.from(secret).toString('base64'), '=')
  return [secret, encoded, encodeURIComponent(secret)]
}
