import {
  type ServerSort,
  type ServerView,
  type SortOrder,
  type StatusGroup,
  serverSorts,
  sortOrders,
  statusGroups,
} from '@innkeeper/contract/servers/servers'
import { getAddress } from '@innkeeper/contract/text/address'
import { ServerTag, tagKey } from '@innkeeper/contract/text/names'
import { defaultPageSize } from '../../../features/servers/first-page.ts'
import type { DisplayStatus } from '../../../ui/feedback/status.tsx'

/** The options of the status filter. */
export const statusFilters = ['all', ...statusGroups] as const
export type StatusFilterValue = (typeof statusFilters)[number]

export interface Filter {
  readonly query: string
  readonly status: StatusFilterValue
  /** Id of a node. */
  readonly node?: number
  /** Servers must have all of them. */
  readonly tags: readonly string[]
}

export interface Sorting {
  readonly sort: ServerSort
  readonly order: SortOrder
}

/** Rows per page; `all`: one page of all servers, whose rows are loaded as they scroll into view. */
export const pageSizes = [10, 25, 50, 100, 'all'] as const
export type PageSize = (typeof pageSizes)[number]

/** The page size with this name. */
export function toPageSize(text: string | undefined): PageSize {
  return pageSizes.find((size) => String(size) === text) ?? defaultPageSize
}

/** The tags of `EU,modded`, without those that no server can have. */
export function toTags(text: string | null): readonly string[] {
  return (text ?? '').split(',').filter((tag) => ServerTag.safeParse(tag).success)
}

const statusGroup: Readonly<Record<DisplayStatus, StatusGroup>> = {
  online: 'online',
  sleeping: 'online',
  notResponding: 'notResponding',
  installing: 'busy',
  starting: 'busy',
  stopping: 'busy',
  restarting: 'busy',
  waiting: 'busy',
  offline: 'offline',
  crashed: 'crashed',
  suspended: 'suspended',
  unknown: 'unknown',
}

/** Whether name, address, node or a tag of a server contains the query, and whether it is on the node and has the tags. */
export function matchesFilter(server: ServerView, { query, node, tags }: Omit<Filter, 'status'>): boolean {
  if (node !== undefined && server.node.id !== node) return false
  const own = server.tags.map(tagKey)
  if (!tags.every((tag) => own.includes(tagKey(tag)))) return false
  const text = query.trim().toLocaleLowerCase()
  return [server.name, getAddress(server), server.node.name, ...server.tags].some((part) =>
    part.toLocaleLowerCase().includes(text),
  )
}

export function matchesStatus(displayed: DisplayStatus, status: StatusFilterValue): boolean {
  return status === 'all' || statusGroup[displayed] === status
}

/** How many servers match each option of the status filter. */
export function countByStatus(statuses: readonly DisplayStatus[]): Readonly<Record<StatusFilterValue, number>> {
  const counts = {
    all: statuses.length,
    online: 0,
    notResponding: 0,
    busy: 0,
    offline: 0,
    crashed: 0,
    suspended: 0,
    unknown: 0,
  }
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

/** Whether the column has the usage of servers, which changes all the time. */
export function isUsageSort(sort: ServerSort): boolean {
  return sort === 'players' || sort === 'cpu' || sort === 'memory'
}

/** The sorting after a click on a column header: usage starts descending, a second click reverses the order. */
export function toggleSort(column: ServerSort, { sort, order }: Sorting): Sorting {
  if (column === sort) return { sort, order: order === 'asc' ? 'desc' : 'asc' }
  return { sort: column, order: isUsageSort(column) ? 'desc' : 'asc' }
}

/** The rows of a page; of the last page when `page` is greater. */
export function getPage<T>(
  rows: readonly T[],
  page: number,
  size: number | 'all',
): { page: number; rows: readonly T[] } {
  if (size === 'all') return { page: 1, rows }
  const last = Math.max(1, Math.ceil(rows.length / size))
  const current = Math.min(Math.max(1, page), last)
  return { page: current, rows: rows.slice((current - 1) * size, current * size) }
}
