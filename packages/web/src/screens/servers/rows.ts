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

/** The choices of the status filter. */
export const statusChoices = ['all', ...statusGroups] as const
export type StatusChoice = (typeof statusChoices)[number]

export interface Filter {
  readonly sought: string
  readonly status: StatusChoice
  readonly node?: number
}

export interface Sorting {
  readonly sort: ServerSort
  readonly order: SortOrder
}

export const pageSizes = [10, 25, 50, 100] as const

const choiceOf: Readonly<Record<DisplayStatus, StatusGroup>> = {
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

/** Whether a server's name, address or node holds what was typed, and stands on the chosen node. */
export function answers(server: ServerView, { sought, node }: Omit<Filter, 'status'>): boolean {
  if (node !== undefined && server.node.id !== node) return false
  const wanted = sought.trim().toLocaleLowerCase()
  return [server.name, addressOf(server), server.node.name].some((text) => text.toLocaleLowerCase().includes(wanted))
}

export function hasStatus(state: DisplayStatus, status: StatusChoice): boolean {
  return status === 'all' || choiceOf[state] === status
}

/** How many servers each choice of the status filter would leave. */
export function countsOf(states: readonly DisplayStatus[]): Readonly<Record<StatusChoice, number>> {
  const counts = { all: states.length, online: 0, busy: 0, offline: 0, crashed: 0, unknown: 0 }
  for (const state of states) counts[choiceOf[state]]++
  return counts
}

export function sortOf(text: string | null): ServerSort {
  return serverSorts.find((sort) => sort === text) ?? 'name'
}

export function orderOf(text: string | null): SortOrder {
  return sortOrders.find((order) => order === text) ?? 'asc'
}

/** The sorting after a click on a column: the busiest first for measures, and the other way round at the next click. */
export function sortedBy(column: ServerSort, { sort, order }: Sorting): Sorting {
  if (column === sort) return { sort, order: order === 'asc' ? 'desc' : 'asc' }
  return { sort: column, order: column === 'cpu' || column === 'memory' ? 'desc' : 'asc' }
}

/** The rows of a page; a page behind the last shows the last. */
export function pageOf<T>(rows: readonly T[], page: number, size: number): { page: number; rows: readonly T[] } {
  const last = Math.max(1, Math.ceil(rows.length / size))
  const shown = Math.min(Math.max(1, page), last)
  return { page: shown, rows: rows.slice((shown - 1) * size, shown * size) }
}

/** The page numbers to offer: the first, the last, and those around the current one; 0 stands for a gap. */
export function pagesAround(page: number, count: number): readonly number[] {
  const wanted = [1, page - 1, page, page + 1, count].filter((number) => number >= 1 && number <= count)
  const pages = [...new Set(wanted)].sort((a, b) => a - b)
  return pages.flatMap((number, index) => (index > 0 && number - (pages[index - 1] ?? 0) > 1 ? [0, number] : [number]))
}
