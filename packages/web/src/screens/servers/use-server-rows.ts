import type { AnswerOf, Given } from '@innkeeper/contract/call'
import { limits } from '@innkeeper/contract/limits'
import type { PageQuery } from '@innkeeper/contract/paging'
import { listServers, type ServerView, type StatusCounts } from '@innkeeper/contract/servers'
import { useDebouncedValue } from '@mantine/hooks'
import { request } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useListPower } from '../../features/power/use-list-power.ts'
import { useServerUsage } from '../../features/servers/use-server-usage.ts'
import {
  countByStatus,
  type Filter,
  getPage,
  matchesFilter,
  matchesStatus,
  type Sorting,
  type StatusFilterValue,
} from './list-filter.ts'

const noServers: readonly ServerView[] = []

/**
 * The rows of the list, as the panel sorts them. When all servers fit into one request (`limits.pageSizeMax`), they are
 * filtered, counted and paged here; otherwise the panel does that.
 */
export function useServerRows({
  page,
  size,
  sort,
  order,
  ...filter
}: Filter & Sorting & { page: number; size: number }) {
  const sorting = { ...(sort === 'name' ? {} : { sort }), ...(order === 'asc' ? {} : { order }) }
  // The order by these columns changes with every report of a node.
  const isLive = sort === 'status' || sort === 'cpu' || sort === 'memory'
  const all = useApiQuery(
    listServers,
    { query: { limit: limits.pageSizeMax, ...sorting } },
    {
      staleTime: 10_000,
      refetchOnMount: 'always',
      // A longer list is fetched in pages; only its total is used.
      refetchInterval: ({ state }) =>
        isLive && (state.data?.paging.total ?? 0) <= limits.pageSizeMax ? limits.usageEveryMs : false,
      placeholderData: (before) => before,
    },
  )
  const total = all.data?.paging.total ?? 0
  const hasAll = total <= limits.pageSizeMax
  const [name] = useDebouncedValue(filter.query.trim(), 200)
  const matchQuery = {
    ...sorting,
    ...(name === '' ? {} : { name: `*${name}*` }),
    ...(filter.node === undefined ? {} : { node: filter.node }),
    ...(filter.status === 'all' ? {} : { status: filter.status }),
  }
  const paged = usePage({ page, limit: size, ...matchQuery }, { enabled: all.isSuccess && !hasAll })

  const loaded = all.data?.servers ?? noServers
  const matching = hasAll
    ? loaded.filter((server) => matchesFilter(server, filter))
    : (paged.data?.servers ?? noServers)
  const { usage, updatedAt } = useServerUsage((hasAll ? loaded : matching).map(({ id }) => id))
  const power = useListPower(usage)
  // A panel that returns counts has also filtered by status.
  const groups = hasAll ? undefined : paged.data?.counts
  const shown = groups ? matching : matching.filter(({ id }) => matchesStatus(power.getStatus(id), filter.status))
  const current = hasAll ? getPage(shown, page, size) : { page: paged.data?.paging.page ?? page, rows: shown }
  const source = hasAll ? all : paged
  const nodes = (hasAll ? undefined : paged.data?.nodes) ?? getNodes(loaded)

  /** All servers that match the filter, on all pages. */
  const fetchAllMatches = async (): Promise<readonly ServerView[]> => {
    if (hasAll) return shown
    const matches: ServerView[] = []
    for (let next = 1, last = 1; next <= last; next++) {
      const { servers, paging } = await request(listServers, {
        query: { page: next, limit: limits.pageSizeMax, ...matchQuery },
      })
      matches.push(...servers)
      last = Math.ceil(paging.total / limits.pageSizeMax)
    }
    return matches
  }

  return {
    rows: current.rows,
    page: current.page,
    /** How many servers match the filter. */
    matchCount: hasAll ? shown.length : (paged.data?.paging.total ?? 0),
    total,
    counts: groups ? withTotal(groups) : countByStatus(matching.map(({ id }) => power.getStatus(id))),
    /** Absent with an older panel, which does not filter by status. */
    fetchAllMatches: hasAll || groups || filter.status === 'all' ? fetchAllMatches : undefined,
    nodes,
    isLoading: all.isPending || (!hasAll && paged.isPending),
    error: source.data === undefined ? source.error : null,
    refetch: () => void source.refetch(),
    usage,
    updatedAt,
    power,
  }
}

type ListQuery = NonNullable<Given<typeof listServers>['query']>

/** One page of the list with its counts; the last page when the list became shorter than `page`. */
function usePage(query: ListQuery & PageQuery, { enabled }: { readonly enabled: boolean }) {
  const options = {
    // Counts and the rows of a status change with the reports of the nodes.
    refetchInterval: limits.usageEveryMs,
    placeholderData: (before: AnswerOf<typeof listServers> | undefined) => before,
  }
  const requested = useApiQuery(listServers, { query: { ...query, counts: 'true' } }, { ...options, enabled })
  const total = requested.isPlaceholderData ? undefined : requested.data?.paging.total
  const lastPage = Math.max(1, Math.ceil((total ?? 0) / query.limit))
  const isPastLastPage = enabled && total !== undefined && query.page > lastPage
  const last = useApiQuery(
    listServers,
    { query: { ...query, page: lastPage, counts: 'true' } },
    { ...options, enabled: isPastLastPage },
  )
  return isPastLastPage && last.data ? last : requested
}

function withTotal(groups: StatusCounts): Readonly<Record<StatusFilterValue, number>> {
  return { all: Object.values(groups).reduce((sum, count) => sum + count, 0), ...groups }
}

function getNodes(servers: readonly ServerView[]): readonly { readonly id: number; readonly name: string }[] {
  return [...new Map(servers.map(({ node }) => [node.id, node])).values()]
}
