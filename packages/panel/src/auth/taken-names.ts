import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import type { RateLimiter } from '../security/rate-limiter.ts'

/** Attempts to use what others have, per user and window. */
export const maxTakenNames = 10

interface Attempts {
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly key: string
  /** The errors that reveal that another account has the name. */
  readonly codes: readonly RefusalCode[]
}

/** Limits attempts with taken names: the error reveals what the user cannot see. All others are refunded. */
export async function limitTakenNames<T>({ limiter, key, codes }: Attempts, operation: () => Promise<T>): Promise<T> {
  const attempt = { key, max: maxTakenNames }
  await limiter.consume([attempt])
  try {
    const result = await operation()
    await limiter.refund([attempt])
    return result
  } catch (error) {
    if (error instanceof Refusal && !codes.includes(error.code)) await limiter.refund([attempt])
    throw error
  }
}
