import { canSeeAllServers } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Principal } from '../access/principal.ts'
import type { RateLimiter } from '../auth/rate-limiter.ts'

/** Attempts to use a taken server name, per user and window. */
export const maxTakenNames = 10

/**
 * Limits attempts with taken names: the error reveals that a server has the name, also one that the user cannot see.
 */
export async function limitTakenNames<T>(
  limiter: Pick<RateLimiter, 'consume' | 'refund'>,
  principal: Principal,
  operation: () => Promise<T>,
): Promise<T> {
  if (canSeeAllServers(principal.scopes)) return await operation()
  const attempt = { key: `taken server name ${principal.userId}`, max: maxTakenNames }
  await limiter.consume([attempt])
  try {
    const result = await operation()
    await limiter.refund([attempt])
    return result
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'ErrDuplicateServerName') await limiter.refund([attempt])
    throw error
  }
}
