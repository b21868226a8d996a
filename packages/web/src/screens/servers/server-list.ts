import type { ServerFlag } from '@innkeeper/contract/permissions'
import type { ServerView } from '@innkeeper/contract/servers'
import { getAvailableActions, type PowerAction } from '../../features/power/power.ts'
import type { ListPower } from '../../features/power/use-list-power.ts'
import { toSparkline } from '../../features/servers/use-cpu-history.ts'
import type { CanOnServer } from '../../features/servers/use-server-permissions.ts'
import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import type { DisplayStatus } from '../../ui/status.tsx'
import type { ServerActions } from './use-server-actions.tsx'

/** What the table and the list of phones show. */
export interface ServerListProps {
  readonly servers: readonly ServerView[]
  readonly usage: ReadonlyMap<string, ServerUsage>
  /** CPU usage before the page was opened. */
  readonly cpuHistory: ReadonlyMap<string, readonly number[]>
  readonly power: ListPower
  readonly actions: ServerActions
  readonly can: CanOnServer
}

export interface ServerRow {
  readonly server: ServerView
  readonly status: DisplayStatus
  readonly usage: ServerUsage | undefined
  /** Values of the CPU sparkline. */
  readonly cpu: readonly number[]
  /** The power actions that the user can run now. */
  readonly available: readonly PowerAction[]
  readonly canViewConsole: boolean
  readonly run: (action: PowerAction) => void
}

export function toRow(server: ServerView, { usage, cpuHistory, power, actions, can }: ServerListProps): ServerRow {
  const { id } = server
  const status = power.getStatus(id)
  const hasPermission = (permission: ServerFlag) => can(id, permission) === true
  return {
    server,
    status,
    usage: usage.get(id),
    cpu: toSparkline(cpuHistory.get(id), usage.get(id)?.history ?? []),
    available: getAvailableActions(status, usage.get(id)?.status, hasPermission),
    canViewConsole: hasPermission('viewServerConsole'),
    run: (action) => actions.run(server, action),
  }
}
