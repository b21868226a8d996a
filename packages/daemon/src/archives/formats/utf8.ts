import { isUtf8 } from 'node:buffer'

/** Returns undefined for invalid UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
