import { canSeeAllServers } from '@innkeeper/contract/api/permissions'
import type { Principal } from '../access/principal.ts'
import { limitTakenNames } from '../auth/taken-names.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'

/** Limits attempts with taken names of servers, unless the user can see all servers. */
export async function limitTakenServerNames<T>(
  limiter: Pick<RateLimiter, 'consume' | 'refund'>,
  principal: Principal,
  operation: () => Promise<T>,
): Promise<T> {
  if (canSeeAllServers(principal.scopes)) return await operation()
  return limitTakenNames(
    { limiter, key: `taken server name ${principal.userId}`, codes: ['ErrDuplicateServerName'] },
    operation,
  )
}
