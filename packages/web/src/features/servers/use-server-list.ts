import { limits } from '@innkeeper/contract/limits'
import { getServer, listServers, type ServerView } from '@innkeeper/contract/servers'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api-query.ts'
import { usePinnedServers } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import type { DisplayStatus } from '../../ui/status.tsx'
import { statusFromUsage, useUsageQuery } from './use-usage-query.ts'

const staleTime = 60_000
const noServers: readonly ServerView[] = []

/** Shared with the list of servers, so that both need one request. */
export const firstServersQuery = { limit: limits.pageSizeMax, counts: 'true', permissions: 'true' } as const

/** The first page of servers by name, and the total number of servers. */
export function useServerList(): { readonly servers: readonly ServerView[]; readonly total: number | undefined } {
  const { isSignedIn } = useSession()
  const list = useApiQuery(listServers, { query: firstServersQuery }, { enabled: isSignedIn, staleTime })
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
  const { servers, total } = useServerList()
  const names = new Map(servers.map(({ id, name }) => [id, name]))
  const missing = total === undefined ? [] : pinned.filter((id) => !names.has(id))
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
