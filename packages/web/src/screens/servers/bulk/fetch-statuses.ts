import { limits } from '@innkeeper/contract/limits'
import { getUsage, type ListedServer } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { request } from '../../../api/request.ts'

/** The statuses of servers that the list does not poll, because they are on other pages; without those that are unknown. */
export async function fetchStatuses(servers: readonly ListedServer[]): Promise<ReadonlyMap<string, ServerStatus>> {
  const statuses = new Map<string, ServerStatus>()
  for (let first = 0; first < servers.length; first += limits.pageSizeMax) {
    const ids = servers.slice(first, first + limits.pageSizeMax).map(({ id }) => id)
    for (const { id, status, isOld } of await request(getUsage, { query: { ids: ids.join(',') } })) {
      if (status && !isOld) statuses.set(id, status)
    }
  }
  return statuses
}
