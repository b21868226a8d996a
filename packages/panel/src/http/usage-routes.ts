import { getStats, getStatus } from '@innkeeper/contract/servers/node-servers'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { UsageService } from '../servers/usage.ts'

/**
 * Status and statistics of one server. Programs read them often, so they are not proxied: the panel answers
 * from the states that nodes send.
 */
export function registerUsageRoutes(
  registerRoute: RegisterRoute,
  usage: Pick<UsageService, 'readStatus' | 'readStats'>,
): void {
  for (const prefix of ['', '/proxy']) {
    registerRoute({ ...getStatus, path: prefix + getStatus.path }, ({ server }) => usage.readStatus(server))
    registerRoute({ ...getStats, path: prefix + getStats.path }, ({ server }) => usage.readStats(server))
  }
}
