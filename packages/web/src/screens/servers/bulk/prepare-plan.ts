import { getUsage, type ListedServer } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { request } from '../../../api/request.ts'
import type { ListPower } from '../../../features/power/use-list-power.ts'
import type { ServerUsage } from '../../../features/servers/use-server-usage.ts'
import { toDisplayStatus } from '../../../ui/feedback/status.tsx'
import type { CanOnListed } from '../list/server-list.ts'
import { type BulkAction, type BulkPlan, planBulkAction } from './bulk-plan.ts'

export interface ListState {
  readonly power: ListPower
  readonly usage: ReadonlyMap<string, ServerUsage>
  readonly can: CanOnListed
}

/** What an action on the selected servers will do, by their statuses now. Rejects when these cannot be fetched. */
export async function prepareBulkPlan(
  action: BulkAction,
  servers: readonly ListedServer[],
  { power, usage, can }: ListState,
  signal: AbortSignal,
): Promise<BulkPlan> {
  const unpolled = action === 'tags' ? [] : servers.filter(({ id }) => !usage.has(id))
  const statuses = await fetchStatuses(unpolled, signal)
  const getStatus = ({ id }: ListedServer) => {
    const status = usage.get(id)?.status ?? statuses.get(id)
    const displayed = usage.has(id) ? power.getStatus(id) : status ? toDisplayStatus(status) : 'unknown'
    return { status, displayed }
  }
  return planBulkAction(action, servers, getStatus, can)
}

/** The statuses of servers that the list does not poll, because they are on other pages; without those that are unknown. */
async function fetchStatuses(
  servers: readonly ListedServer[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServerStatus>> {
  const statuses = new Map<string, ServerStatus>()
  for (let first = 0; first < servers.length; first += limits.pageSizeMax) {
    const ids = servers.slice(first, first + limits.pageSizeMax).map(({ id }) => id)
    for (const { id, status, isOld } of await request(getUsage, { query: { ids: ids.join(',') } }, { signal })) {
      if (status && !isOld) statuses.set(id, status)
    }
  }
  return statuses
}
