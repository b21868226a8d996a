import { limits } from '@innkeeper/contract/limits'
import { listServers, type ServerView } from '@innkeeper/contract/servers'
import { useDebouncedValue } from '@mantine/hooks'
import { request } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { useListPower } from '../../features/power/use-list-power.ts'
import { useUsage } from '../../features/servers/usage.ts'
import { answers, countsOf, type Filter, hasStatus, pageOf, type Sorting } from './rows.ts'

const none: readonly ServerView[] = []

/**
 * The rows of the list, as the panel sorts them. Up to one full page of the panel's, all servers are held and every
 * filter covers all of them; with more, the panel pages and filters by name and node, and the status filter covers the
 * rows in view.
 */
export function useRows({ page, size, sort, order, ...filter }: Filter & Sorting & { page: number; size: number }) {
  const sorting = { ...(sort === 'name' ? {} : { sort }), ...(order === 'asc' ? {} : { order }) }
  // What nodes report changes all the time, and the order with it.
  const isLive = sort === 'status' || sort === 'cpu' || sort === 'memory'
  const refetchInterval = isLive ? limits.usageEveryMs : false
  const all = useCall(
    listServers,
    { query: { limit: limits.pageSizeMax, ...sorting } },
    { staleTime: 10_000, refetchOnMount: 'always', refetchInterval, placeholderData: (before) => before },
  )
  const total = all.data?.paging.total ?? 0
  const coversAll = total <= limits.pageSizeMax
  const [name] = useDebouncedValue(filter.sought.trim(), 200)
  const matchingQuery = {
    ...sorting,
    ...(name === '' ? {} : { name: `*${name}*` }),
    ...(filter.node === undefined ? {} : { node: filter.node }),
  }
  const paged = useCall(
    listServers,
    { query: { page, limit: size, ...matchingQuery } },
    { enabled: all.isSuccess && !coversAll, refetchInterval, placeholderData: (before) => before },
  )

  const held = all.data?.servers ?? none
  const matching = coversAll ? held.filter((server) => answers(server, filter)) : (paged.data?.servers ?? none)
  const usage = useUsage((coversAll ? held : matching).map(({ id }) => id))
  const power = useListPower(usage.of)
  const shown = matching.filter(({ id }) => hasStatus(power.stateOf(id), filter.status))
  const inView = coversAll ? pageOf(shown, page, size) : { page, rows: shown }
  const source = coversAll ? all : paged

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
    counts: countsOf(matching.map(({ id }) => power.stateOf(id))),
    /** Absent where the filter covers only the rows in view. */
    everyMatch: coversAll || filter.status === 'all' ? everyMatch : undefined,
    nodes: [...new Map(held.map(({ node }) => [node.id, node.name]))],
    isLoading: all.isPending || (!coversAll && paged.isPending),
    error: source.data === undefined ? source.error : null,
    refetch: () => void source.refetch(),
    usage,
    power,
  }
}
