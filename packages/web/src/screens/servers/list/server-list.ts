import { isAdmin, type ServerPermission } from '@innkeeper/contract/api/permissions'
import type { ListedServer } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { createContext, useCallback, useMemo } from 'react'
import { getAvailableActions, type PowerAction } from '../../../features/power/power.ts'
import type { ListPower } from '../../../features/power/use-list-power.ts'
import type { ServerUsage } from '../../../features/servers/use-server-usage.ts'
import { useSession } from '../../../session/session.tsx'
import type { DisplayStatus } from '../../../ui/feedback/status.tsx'
import { useLatest } from '../../../ui/hooks/use-latest.ts'
import type { Sorting } from './list-filter.ts'

/** Whether the user has a permission on a server of the list. The panel authorizes every action again. */
export type CanOnListed = (server: ListedServer, permission: ServerPermission) => boolean

export function useCanOnListed(): CanOnListed {
  const { scopes } = useSession()
  const canAll = isAdmin(scopes)
  return useCallback(({ permissions }, permission) => canAll || permissions?.includes(permission) === true, [canAll])
}

/** What the controls of the list do. */
export interface ListActions {
  readonly run: (server: ListedServer, action: PowerAction) => void
  readonly editTags: (server: ListedServer) => void
  /** With `isRange` everything from the row that was toggled last. */
  readonly toggle: (id: string, isRange?: boolean) => void
  readonly toggleAll: () => void
  readonly togglePinned: (id: string) => void
  readonly sort: (sorting: Sorting) => void
}

/** The same object with every render: rows are memoized. */
export function useListActions(actions: ListActions): ListActions {
  const latest = useLatest(actions)
  return useMemo(
    () => ({
      run: (...args) => latest.current.run(...args),
      editTags: (...args) => latest.current.editTags(...args),
      toggle: (...args) => latest.current.toggle(...args),
      toggleAll: () => latest.current.toggleAll(),
      sort: (sorting) => latest.current.sort(sorting),
      togglePinned: (...args) => latest.current.togglePinned(...args),
    }),
    [latest],
  )
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
  readonly power: Pick<ListPower, 'getStatus'>
  readonly actions: ListActions
  readonly can: CanOnListed
}

/** Usage by server, for parts of a row that are rarely shown: a row is not rendered again for them. */
export const UsageContext = createContext<ReadonlyMap<string, ServerUsage>>(new Map())

/** The place of each row to render in the list, with its server. */
export function getRenderedRows({ rows, rendered }: Pick<ServerListProps, 'rows' | 'rendered'>) {
  const indexes = rendered?.indexes ?? rows.map((_, index) => index)
  return indexes.map((index) => ({ index, server: rows[index] }))
}

/** What a row shows. As long as these values stay the same, a row is not rendered again. */
export interface ServerRow {
  readonly server: ListedServer
  readonly status: DisplayStatus
  readonly usage: ServerUsage | undefined
  readonly cpuHistory: readonly number[] | undefined
  readonly can: CanOnListed
  readonly actions: ListActions
}

export function toRow(server: ListedServer, list: Omit<ServerListProps, 'rows'>): ServerRow {
  const { id } = server
  return {
    server,
    status: list.power.getStatus(id),
    usage: list.usage.get(id),
    cpuHistory: list.cpuHistory.get(id),
    can: list.can,
    actions: list.actions,
  }
}

/** What the user can do with a server now. The same object until that changes. */
export function useAvailableActions({
  server,
  status,
  reported,
  can,
}: Pick<ServerRow, 'server' | 'status' | 'can'> & {
  readonly reported: ServerStatus | undefined
}): readonly PowerAction[] {
  return useMemo(
    () => getAvailableActions(status, reported, (permission) => can(server, permission)),
    [server, status, reported, can],
  )
}
