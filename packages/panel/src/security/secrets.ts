import { timingSafeEqual as equalBytes, hash, randomBytes } from 'node:crypto'

/** A random token of 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a random token. A fast hash is enough, because tokens of this length cannot be guessed. */
export function hashToken(secret: string): string {
  return hash('sha256', secret)
}

export function timingSafeEqual(a: string, b: string): boolean {
  const [aBytes, bBytes] = [Buffer.from(a), Buffer.from(b)]
  return aBytes.length === bBytes.length && equalBytes(aBytes, bBytes)
}
