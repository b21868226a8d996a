import { isAdmin, type ServerPermission } from '@innkeeper/contract/permissions'
import type { ListedServer } from '@innkeeper/contract/servers'
import { getAvailableActions, type PowerAction } from '../../features/power/power.ts'
import type { ListPower } from '../../features/power/use-list-power.ts'
import { toSparkline } from '../../features/servers/use-cpu-history.ts'
import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import { useSession } from '../../session/session.tsx'
import type { DisplayStatus } from '../../ui/status.tsx'

/** Whether the user has a permission on a server of the list. The panel authorizes every action again. */
export type CanOnListed = (server: ListedServer, permission: ServerPermission) => boolean

export function useCanOnListed(): CanOnListed {
  const { scopes } = useSession()
  const canAll = isAdmin(scopes)
  return ({ permissions }, permission) => canAll || permissions?.includes(permission) === true
}

/** The rows that are rendered of a list that scrolls, and the space of the others in pixels. */
export interface RenderedRows {
  readonly indexes: readonly number[]
  readonly before: number
  readonly after: number
}

/** What the table and the list of phones show. */
export interface ServerListProps {
  /** Rows that are not loaded are undefined. */
  readonly rows: readonly (ListedServer | undefined)[]
  /** Absent when all rows are rendered. */
  readonly rendered?: RenderedRows | undefined
  readonly usage: ReadonlyMap<string, ServerUsage>
  /** CPU usage before the page was opened. */
  readonly cpuHistory: ReadonlyMap<string, readonly number[]>
  readonly power: ListPower
  readonly onAction: (server: ListedServer, action: PowerAction) => void
  readonly onEditTags: (server: ListedServer) => void
  readonly can: CanOnListed
}

/** The place of a row in a list that renders only some. */
export type RowAttributes = Readonly<Partial<Record<`aria-${string}`, number>>>

/** The rows to render, with their place in the list. */
export function getRenderedRows({ rows, rendered }: Pick<ServerListProps, 'rows' | 'rendered'>) {
  const indexes = rendered?.indexes ?? rows.map((_, index) => index)
  return indexes.map((index) => ({ index, server: rows[index] }))
}

export interface ServerRow {
  readonly server: ListedServer
  readonly status: DisplayStatus
  readonly usage: ServerUsage | undefined
  /** Values of the CPU sparkline. */
  readonly cpu: readonly number[]
  /** The power actions that the user can run now. */
  readonly available: readonly PowerAction[]
  readonly canViewConsole: boolean
  readonly run: (action: PowerAction) => void
  /** Absent without permission. */
  readonly editTags: (() => void) | undefined
}

export function toRow(server: ListedServer, list: Omit<ServerListProps, 'rows'>): ServerRow {
  const { id } = server
  const usage = list.usage.get(id)
  const status = list.power.getStatus(id)
  const can = (permission: ServerPermission) => list.can(server, permission)
  return {
    server,
    status,
    usage,
    cpu: toSparkline(list.cpuHistory.get(id), usage?.history ?? []),
    available: getAvailableActions(status, usage?.status, can),
    canViewConsole: can('viewServerConsole'),
    run: (action) => list.onAction(server, action),
    editTags: can('editServerData') ? () => list.onEditTags(server) : undefined,
  }
}
