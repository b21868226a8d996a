import type { RequestOf } from '@innkeeper/contract/api/endpoint'
import { getServer, listServers, type ServerView } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { usePinnedServers } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import type { DisplayStatus } from '../../ui/feedback/status.tsx'
import { defaultPageSize, pageQuery } from './first-page.ts'
import { statusFromUsage, useUsageQuery } from './use-usage-query.ts'

const staleTime = 60_000
const noServers: readonly ServerView[] = []

interface ServerList {
  readonly servers: readonly ServerView[]
  /** How many servers there are; undefined until it is known. */
  readonly total: number | undefined
}

/** The first servers by name, as many as one request returns. */
export function useServerList({ enabled = true }: { readonly enabled?: boolean } = {}): ServerList {
  return useList({ limit: limits.pageSizeMax }, enabled)
}

/** The first servers by name, with the request of the list of servers as it opens. */
export function useFirstServers(): ServerList {
  return useList(pageQuery(1, defaultPageSize), true)
}

function useList(query: RequestOf<typeof listServers>['query'], enabled: boolean): ServerList {
  const { isSignedIn } = useSession()
  const list = useApiQuery(listServers, { query }, { enabled: enabled && isSignedIn, staleTime })
  return { servers: list.data?.servers ?? noServers, total: list.data?.paging.total }
}

export interface PinnedServer {
  readonly id: string
  readonly name: string
  readonly status: DisplayStatus
}

/** The pinned servers with their status, without those that were deleted or are no longer visible to the user. */
export function usePinnedServersWithStatus(): readonly PinnedServer[] {
  const { pinned } = usePinnedServers()
  const first = useFirstServers()
  const names = new Map(first.servers.map(({ id, name }) => [id, name]))
  const needsMore = first.total !== undefined && pinned.some((id) => !names.has(id))
  const areAllFirst = first.total === first.servers.length
  const more = useServerList({ enabled: needsMore && !areAllFirst })
  for (const { id, name } of more.servers) names.set(id, name)
  const areRequested = areAllFirst || more.total !== undefined
  const missing = needsMore && areRequested ? pinned.filter((id) => !names.has(id)) : []
  const others = useQueries({
    queries: missing.map((id) => ({
      queryKey: getQueryKey(getServer, { params: { id }, query: {} }),
      queryFn: () => request(getServer, { params: { id }, query: {} }),
      staleTime,
      retry: false,
    })),
  })
  for (const { data } of others) if (data) names.set(data.server.id, data.server.name)

  const existing = pinned.filter((id) => names.has(id))
  const statuses = useServerStatuses(existing)
  return existing.map((id) => ({ id, name: names.get(id) ?? id, status: statuses.get(id) ?? 'unknown' }))
}

/** The statuses of some servers, polled while the browser tab is visible; none while the panel does not respond. */
export function useServerStatuses(ids: readonly string[]): ReadonlyMap<string, DisplayStatus> {
  const { data = [], isRefetchError } = useUsageQuery(ids)
  return new Map(isRefetchError ? [] : data.map((server) => [server.id, statusFromUsage(server)]))
}
