import type { RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { PageQuery } from '@innkeeper/contract/api/paging'
import { type ListedServer, listServers, type StatusCounts, type TagCount } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { useListPower } from '../../features/power/use-list-power.ts'
import { pageQuery } from '../../features/servers/first-page.ts'
import { useServerUsage } from '../../features/servers/use-server-usage.ts'
import {
  countByStatus,
  type Filter,
  getPage,
  isUsageSort,
  matchesFilter,
  matchesStatus,
  type PageSize,
  type Sorting,
  type StatusFilterValue,
} from './list/list-filter.ts'

type ServerListResponse = ResponseOf<typeof listServers>
type ListQuery = NonNullable<RequestOf<typeof listServers>['query']>

/** The rows of a scrolling list that are in view, `end` excluded. */
export interface RowRange {
  readonly start: number
  readonly end: number
}

const noServers: readonly ListedServer[] = []

/**
 * The rows of the list, as the panel sorts them. When all servers fit on the first page, they are filtered and counted
 * here; otherwise the panel does that, and a list that scrolls loads the rows in `range`.
 */
export function useServerRows(
  { page, size, sort, order, ...filter }: Filter & Sorting & { readonly page: number; readonly size: PageSize },
  range: RowRange,
) {
  const sorting = { ...(sort === 'name' ? {} : { sort }), ...(order === 'asc' ? {} : { order }) }
  // The order by these columns changes with every report of a node.
  const isLive = sort === 'status' || isUsageSort(sort)
  const limit = size === 'all' ? limits.pageSizeMax : size
  const first = useApiQuery(
    listServers,
    // The same request as that of the first page without a filter.
    { query: { ...pageQuery(1, limit), ...sorting } },
    {
      staleTime: 10_000,
      refetchOnMount: 'always',
      // Of a longer list only the total is used.
      refetchInterval: ({ state }) =>
        isLive && (state.data?.paging.total ?? 0) <= limit ? limits.usageEveryMs : false,
      placeholderData: (before) => before,
    },
  )
  const total = first.data?.paging.total ?? 0
  const hasAll = total <= limit
  const [text] = useDebouncedValue(filter.query.trim(), 200)
  const matchQuery = {
    ...sorting,
    ...(text === '' ? {} : { query: text }),
    ...(filter.node === undefined ? {} : { node: filter.node }),
    ...(filter.tags.length === 0 ? {} : { tag: filter.tags.join(',') }),
    ...(filter.status === 'all' ? {} : { status: filter.status }),
  }
  const isPaged = first.isSuccess && !hasAll
  const paged = usePage({ ...pageQuery(page, limit), ...matchQuery }, isPaged && size !== 'all')
  const scrolled = useRowsInRange(matchQuery, range, isPaged && size === 'all')

  const loaded = first.data?.servers ?? noServers
  const fetched = size === 'all' ? scrolled : { ...paged, rows: paged.data?.servers ?? noServers }
  const candidates = hasAll ? loaded.filter((server) => matchesFilter(server, filter)) : []
  const polled = hasAll ? loaded : size === 'all' ? fetched.rows.slice(range.start, range.end) : fetched.rows
  const { usage, updatedAt } = useServerUsage(polled.flatMap((server) => (server ? [server.id] : [])))
  const power = useListPower(usage)
  const shown = candidates.filter(({ id }) => matchesStatus(power.getStatus(id), filter.status))
  const fetchedPage = { page: size === 'all' ? 1 : (paged.data?.paging.page ?? page), rows: fetched.rows }
  const current = hasAll ? getPage(shown, page, size) : fetchedPage
  const source = hasAll ? first : fetched

  /** All servers that match the filter, on all pages. */
  const fetchAllMatches = async (): Promise<readonly ListedServer[]> => {
    if (hasAll) return shown
    const matches: ListedServer[] = []
    for (let next = 1, last = 1; next <= last; next++) {
      const { servers, paging } = await request(listServers, { query: { ...matchQuery, ...pageOfAll(next) } })
      matches.push(...servers)
      last = Math.ceil(paging.total / limits.pageSizeMax)
    }
    return matches
  }

  return {
    rows: current.rows,
    page: current.page,
    /** How many servers match the filter. */
    matchCount: hasAll ? shown.length : (fetched.data?.paging.total ?? 0),
    total,
    counts: hasAll ? countByStatus(candidates.map(({ id }) => power.getStatus(id))) : withTotal(fetched.data?.counts),
    fetchAllMatches,
    nodes: first.data?.nodes ?? [],
    tags: source.data?.tags ?? first.data?.tags ?? noTags,
    isLoading: first.isPending || (!hasAll && fetched.isPending),
    error: source.data === undefined ? source.error : null,
    /** The query of the rows. */
    source,
    usage,
    updatedAt,
    power,
  }
}

const noTags: readonly TagCount[] = []

const pageOfAll = (page: number) => ({ page, limit: limits.pageSizeMax, permissions: 'true' }) as const

const pollOptions = {
  // Counts and the rows of a status change with the reports of the nodes.
  refetchInterval: limits.usageEveryMs,
  placeholderData: (before: ServerListResponse | undefined) => before,
}

/** One page of the list with its counts; the last page when the list became shorter than `page`. */
function usePage(query: ListQuery & PageQuery, enabled: boolean) {
  const requested = useApiQuery(listServers, { query }, { ...pollOptions, enabled })
  const total = requested.isPlaceholderData ? undefined : requested.data?.paging.total
  const lastPage = Math.max(1, Math.ceil((total ?? 0) / query.limit))
  const isPastLastPage = enabled && total !== undefined && query.page > lastPage
  const last = useApiQuery(
    listServers,
    { query: { ...query, page: lastPage } },
    { ...pollOptions, enabled: isPastLastPage },
  )
  return isPastLastPage && last.data ? last : requested
}

/** The rows in a range of a long list, loaded in pages; rows outside of these pages are undefined. */
function useRowsInRange(query: ListQuery, { start, end }: RowRange, enabled: boolean) {
  const firstPage = Math.floor(start / limits.pageSizeMax) + 1
  const lastPage = Math.floor(Math.max(start, end - 1) / limits.pageSizeMax) + 1
  const others = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index)
  const first = useApiQuery(
    listServers,
    { query: { ...query, ...pageOfAll(1), counts: 'true' } },
    { ...pollOptions, enabled },
  )
  const pages = useQueries({
    queries: (enabled ? others.filter((page) => page > 1) : []).map((page) => ({
      queryKey: getQueryKey(listServers, { query: { ...query, ...pageOfAll(page) } }),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request(listServers, { query: { ...query, ...pageOfAll(page) } }, { signal }),
      refetchInterval: limits.usageEveryMs,
    })),
  })
  const rows = new Array<ListedServer | undefined>(first.data?.paging.total ?? 0).fill(undefined)
  for (const data of [first.data, ...pages.map((page) => page.data)]) {
    const offset = ((data?.paging.page ?? 1) - 1) * limits.pageSizeMax
    for (const [index, server] of (data?.servers ?? noServers).entries()) {
      if (offset + index < rows.length) rows[offset + index] = server
    }
  }
  return { ...first, rows }
}

function withTotal(groups: StatusCounts | undefined): Readonly<Record<StatusFilterValue, number>> {
  const counts = groups ?? { online: 0, notResponding: 0, busy: 0, offline: 0, crashed: 0, suspended: 0, unknown: 0 }
  return { all: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts }
}
