import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A token of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a random secret. Guessing is hopeless at that length, so a fast hash is enough. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
