import { addressOf } from '@innkeeper/contract/address'
import {
  type ServerSort,
  type ServerView,
  type SortOrder,
  type StatusGroup,
  serverSorts,
  sortOrders,
  statusGroups,
} from '@innkeeper/contract/servers'
import type { DisplayStatus } from '../../ui/status.tsx'

/** The options of the status filter. */
export const statusFilters = ['all', ...statusGroups] as const
export type StatusFilterValue = (typeof statusFilters)[number]

export interface Filter {
  readonly query: string
  readonly status: StatusFilterValue
  /** Id of a node. */
  readonly node?: number
}

export interface Sorting {
  readonly sort: ServerSort
  readonly order: SortOrder
}

export const pageSizes = [10, 25, 50, 100] as const

const statusGroup: Readonly<Record<DisplayStatus, StatusGroup>> = {
  online: 'online',
  installing: 'busy',
  starting: 'busy',
  stopping: 'busy',
  restarting: 'busy',
  waiting: 'busy',
  offline: 'offline',
  crashed: 'crashed',
  unknown: 'unknown',
}

/** Whether a server's name, address or node contains the query, and whether it is on the selected node. */
export function matchesFilter(server: ServerView, { query, node }: Omit<Filter, 'status'>): boolean {
  if (node !== undefined && server.node.id !== node) return false
  const needle = query.trim().toLocaleLowerCase()
  return [server.name, addressOf(server), server.node.name].some((text) => text.toLocaleLowerCase().includes(needle))
}

export function matchesStatus(displayed: DisplayStatus, status: StatusFilterValue): boolean {
  return status === 'all' || statusGroup[displayed] === status
}

/** How many servers match each option of the status filter. */
export function countByStatus(statuses: readonly DisplayStatus[]): Readonly<Record<StatusFilterValue, number>> {
  const counts = { all: statuses.length, online: 0, busy: 0, offline: 0, crashed: 0, unknown: 0 }
  for (const status of statuses) counts[statusGroup[status]]++
  return counts
}

/** The column with this name; by default `name`. */
export function toSort(text: string | null): ServerSort {
  return serverSorts.find((sort) => sort === text) ?? 'name'
}

/** The order with this name; by default ascending. */
export function toOrder(text: string | null): SortOrder {
  return sortOrders.find((order) => order === text) ?? 'asc'
}

/** The sorting after a click on a column header: CPU and memory start descending, a second click reverses the order. */
export function toggleSort(column: ServerSort, { sort, order }: Sorting): Sorting {
  if (column === sort) return { sort, order: order === 'asc' ? 'desc' : 'asc' }
  return { sort: column, order: column === 'cpu' || column === 'memory' ? 'desc' : 'asc' }
}

/** The rows of a page; of the last page when `page` is greater. */
export function getPage<T>(rows: readonly T[], page: number, size: number): { page: number; rows: readonly T[] } {
  const last = Math.max(1, Math.ceil(rows.length / size))
  const current = Math.min(Math.max(1, page), last)
  return { page: current, rows: rows.slice((current - 1) * size, current * size) }
}
