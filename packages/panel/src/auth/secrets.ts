import { createHash, timingSafeEqual as equalBytes, randomBytes } from 'node:crypto'

/** A token of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a random secret. Guessing is hopeless at that length, so a fast hash is enough. */
export function hashToken(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function timingSafeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && equalBytes(a, b)
}
