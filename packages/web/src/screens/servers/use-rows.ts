import { limits } from '@innkeeper/contract/limits'
import { listServers, type ServerView } from '@innkeeper/contract/servers'
import { useDebouncedValue } from '@mantine/hooks'
import { useCall } from '../../api/use-call.ts'
import { usePower } from '../../features/servers/power.ts'
import { useUsage } from '../../features/servers/usage.ts'
import { answers, countsOf, type Filter, hasStatus, pageOf } from './rows.ts'

const none: readonly ServerView[] = []
const everything = { query: { limit: limits.pageSizeMax } } as const

/**
 * The rows of the list. Up to one full page of the panel's, all servers are held and every filter covers all of them;
 * with more, the panel pages and filters by name and node, and the status filter covers the rows in view.
 */
export function useRows({ page, size, ...filter }: Filter & { page: number; size: number }) {
  const all = useCall(listServers, everything, { staleTime: 10_000, refetchOnMount: 'always' })
  const total = all.data?.paging.total ?? 0
  const coversAll = total <= limits.pageSizeMax
  const paged = usePaged(filter, page, size, all.isSuccess && !coversAll)

  const held = all.data?.servers ?? none
  const matching = coversAll ? held.filter((server) => answers(server, filter)) : (paged.data?.servers ?? none)
  const usage = useUsage((coversAll ? held : matching).map(({ id }) => id))
  const power = usePower(usage.of)
  const shown = matching.filter(({ id }) => hasStatus(power.stateOf(id), filter.status))
  const inView = coversAll ? pageOf(shown, page, size) : { page, rows: shown }
  const source = coversAll ? all : paged

  return {
    rows: inView.rows,
    page: inView.page,
    /** How many answer the filter. */
    found: coversAll ? shown.length : (paged.data?.paging.total ?? 0),
    total,
    counts: countsOf(matching.map(({ id }) => power.stateOf(id))),
    coversAll,
    nodes: [...new Map(held.map(({ node }) => [node.id, node.name]))],
    isLoading: all.isPending || (!coversAll && paged.isPending),
    error: source.data === undefined ? source.error : null,
    refetch: () => void source.refetch(),
    usage,
    power,
  }
}

function usePaged({ sought, node }: Filter, page: number, limit: number, enabled: boolean) {
  const [name] = useDebouncedValue(sought.trim(), 200)
  return useCall(
    listServers,
    {
      query: { page, limit, ...(name === '' ? {} : { name: `*${name}*` }), ...(node === undefined ? {} : { node }) },
    },
    { enabled, placeholderData: (before) => before },
  )
}
