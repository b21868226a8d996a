import type { ListedServer } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { getAvailableActions, requiredPermissions } from '../../../features/power/power.ts'
import type { DisplayStatus } from '../../../ui/feedback/status.tsx'
import type { CanOnListed } from '../list/server-list.ts'

/** The power actions that can run on many servers. */
export const bulkPowerActions = ['start', 'restart', 'stop', 'kill', 'install'] as const
export type BulkPowerAction = (typeof bulkPowerActions)[number]
export type BulkAction = BulkPowerAction | 'command' | 'tags'

export const isPowerAction = (action: BulkAction): action is BulkPowerAction =>
  action !== 'command' && action !== 'tags'

/** Why a selected server is left out: no permission, a status that does not allow the action, or no known status. */
export const skipReasons = ['permission', 'status', 'unknown'] as const
export type SkipReason = (typeof skipReasons)[number]

export interface SkippedServer {
  readonly server: ListedServer
  readonly reason: SkipReason
}

/** What an action on the selected servers will do. */
export interface BulkPlan {
  readonly targets: readonly ListedServer[]
  readonly skipped: readonly SkippedServer[]
}

/** Status of a server: what the node reports, and what is displayed. */
export interface PlannedStatus {
  readonly status: ServerStatus | undefined
  readonly displayed: DisplayStatus
}

export function planBulkAction(
  action: BulkAction,
  servers: readonly ListedServer[],
  getStatus: (server: ListedServer) => PlannedStatus,
  can: CanOnListed,
): BulkPlan {
  const targets: ListedServer[] = []
  const skipped: SkippedServer[] = []
  for (const server of servers) {
    const reason = getSkipReason(action, server, getStatus(server), can)
    if (reason) skipped.push({ server, reason })
    else targets.push(server)
  }
  return { targets, skipped }
}

function getSkipReason(
  action: BulkAction,
  server: ListedServer,
  { status, displayed }: PlannedStatus,
  can: CanOnListed,
): SkipReason | undefined {
  if (action === 'tags') return can(server, 'editServerData') ? undefined : 'permission'
  if (!can(server, action === 'command' ? 'sendServerConsole' : requiredPermissions[action])) return 'permission'
  if (action === 'command') return status ? (status.running ? undefined : 'status') : 'unknown'
  if (getAvailableActions(displayed, status, () => true).includes(action)) return undefined
  return displayed === 'unknown' ? 'unknown' : 'status'
}

/** More servers than this must be confirmed by their number. Start and changes of tags lose nothing and can be undone. */
const maxWithoutNumber = 5

export function needsTypedNumber(action: BulkAction, count: number): boolean {
  return action !== 'start' && action !== 'tags' && count > maxWithoutNumber
}

/** Whether the action runs without a dialog: nothing is lost, and it is clear which server it concerns. */
export function runsAtOnce(action: BulkAction, { targets, skipped }: BulkPlan): boolean {
  return (
    (action === 'start' || action === 'stop' || action === 'restart') && targets.length === 1 && skipped.length === 0
  )
}
