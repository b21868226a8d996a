import type { AnswerOf, Given } from '@innkeeper/contract/call'
import { limits } from '@innkeeper/contract/limits'
import type { PageQuery } from '@innkeeper/contract/paging'
import { listServers, type ServerView, type StatusCounts } from '@innkeeper/contract/servers'
import { useDebouncedValue } from '@mantine/hooks'
import { request } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useListPower } from '../../features/power/use-list-power.ts'
import { useUsage } from '../../features/servers/usage.ts'
import { answers, countsOf, type Filter, hasStatus, pageOf, type Sorting, type StatusChoice } from './rows.ts'

const none: readonly ServerView[] = []

/**
 * The rows of the list, as the panel sorts them. Up to one full page of the panel's, all servers are loaded and filtered
 * here; with more, the panel filters, counts and pages.
 */
export function useRows({ page, size, sort, order, ...filter }: Filter & Sorting & { page: number; size: number }) {
  const sorting = { ...(sort === 'name' ? {} : { sort }), ...(order === 'asc' ? {} : { order }) }
  // What nodes report changes all the time, and the order with it.
  const isLive = sort === 'status' || sort === 'cpu' || sort === 'memory'
  const all = useApiQuery(
    listServers,
    { query: { limit: limits.pageSizeMax, ...sorting } },
    {
      staleTime: 10_000,
      refetchOnMount: 'always',
      // Of a longer list only its length is used.
      refetchInterval: ({ state }) =>
        isLive && (state.data?.paging.total ?? 0) <= limits.pageSizeMax ? limits.usageEveryMs : false,
      placeholderData: (before) => before,
    },
  )
  const total = all.data?.paging.total ?? 0
  const coversAll = total <= limits.pageSizeMax
  const [name] = useDebouncedValue(filter.sought.trim(), 200)
  const matchingQuery = {
    ...sorting,
    ...(name === '' ? {} : { name: `*${name}*` }),
    ...(filter.node === undefined ? {} : { node: filter.node }),
    ...(filter.status === 'all' ? {} : { status: filter.status }),
  }
  const paged = usePage({ page, limit: size, ...matchingQuery }, { enabled: all.isSuccess && !coversAll })

  const held = all.data?.servers ?? none
  const matching = coversAll ? held.filter((server) => answers(server, filter)) : (paged.data?.servers ?? none)
  const usage = useUsage((coversAll ? held : matching).map(({ id }) => id))
  const power = useListPower(usage.of)
  // A panel that counts has also filtered by status.
  const groups = coversAll ? undefined : paged.data?.counts
  const shown = groups ? matching : matching.filter(({ id }) => hasStatus(power.stateOf(id), filter.status))
  const inView = coversAll ? pageOf(shown, page, size) : { page: paged.data?.paging.page ?? page, rows: shown }
  const source = coversAll ? all : paged
  const nodes = (coversAll ? undefined : paged.data?.nodes) ?? nodesOf(held)

  /** Every server that answers the filter, on all pages. */
  const everyMatch = async (): Promise<readonly ServerView[]> => {
    if (coversAll) return shown
    const found: ServerView[] = []
    for (let next = 1, last = 1; next <= last; next++) {
      const { servers, paging } = await request(listServers, {
        query: { page: next, limit: limits.pageSizeMax, ...matchingQuery },
      })
      found.push(...servers)
      last = Math.ceil(paging.total / limits.pageSizeMax)
    }
    return found
  }

  return {
    rows: inView.rows,
    page: inView.page,
    /** How many answer the filter. */
    found: coversAll ? shown.length : (paged.data?.paging.total ?? 0),
    total,
    counts: groups ? withAll(groups) : countsOf(matching.map(({ id }) => power.stateOf(id))),
    /** Absent with an older panel, which does not filter by status. */
    everyMatch: coversAll || groups || filter.status === 'all' ? everyMatch : undefined,
    nodes: nodes.map(({ id, name }) => [id, name] as const),
    isLoading: all.isPending || (!coversAll && paged.isPending),
    error: source.data === undefined ? source.error : null,
    refetch: () => void source.refetch(),
    usage,
    power,
  }
}

type ListQuery = NonNullable<Given<typeof listServers>['query']>

/** A page of the list with its counts. When servers left the filter and the page is behind the last one, the last one. */
function usePage(query: ListQuery & PageQuery, { enabled }: { readonly enabled: boolean }) {
  const options = {
    // The counts, and with them the rows of a status, change with what nodes report.
    refetchInterval: limits.usageEveryMs,
    placeholderData: (before: AnswerOf<typeof listServers> | undefined) => before,
  }
  const wanted = useApiQuery(listServers, { query: { ...query, counts: 'true' } }, { ...options, enabled })
  const found = wanted.isPlaceholderData ? undefined : wanted.data?.paging.total
  const lastPage = Math.max(1, Math.ceil((found ?? 0) / query.limit))
  const isBehind = enabled && found !== undefined && query.page > lastPage
  const last = useApiQuery(
    listServers,
    { query: { ...query, page: lastPage, counts: 'true' } },
    { ...options, enabled: isBehind },
  )
  return isBehind && last.data ? last : wanted
}

function withAll(groups: StatusCounts): Readonly<Record<StatusChoice, number>> {
  return { all: Object.values(groups).reduce((sum, count) => sum + count, 0), ...groups }
}

function nodesOf(servers: readonly ServerView[]): readonly { readonly id: number; readonly name: string }[] {
  return [...new Map(servers.map(({ node }) => [node.id, node])).values()]
}
