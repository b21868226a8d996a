import { createHash, timingSafeEqual as equalBytes, randomBytes } from 'node:crypto'

/** A random token of 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a random token. A fast hash is enough, because tokens of this length cannot be guessed. */
export function hashToken(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function timingSafeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && equalBytes(a, b)
}
