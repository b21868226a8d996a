import { limits } from '@innkeeper/contract/limits'
import { getServer, listServers, type ServerView } from '@innkeeper/contract/servers'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api-query.ts'
import { usePinnedServers } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import type { DisplayStatus } from '../../ui/status.tsx'
import { stateIn, useUsageAnswers } from './usage-answers.ts'

const staleTime = 60_000
const none: readonly ServerView[] = []

/** The first servers by name, for the palette and the drawer, and how many there are in all. */
export function useKnownServers(): { readonly servers: readonly ServerView[]; readonly total: number | undefined } {
  const { loggedIn } = useSession()
  const list = useApiQuery(listServers, { query: { limit: limits.pageSizeMax } }, { enabled: loggedIn, staleTime })
  return { servers: list.data?.servers ?? none, total: list.data?.paging.total }
}

export interface PinnedServer {
  readonly id: string
  readonly name: string
  readonly state: DisplayStatus
}

/** The pinned servers with their state; one that is gone or may no longer be seen is left out. */
export function usePinned(): readonly PinnedServer[] {
  const { pinned } = usePinnedServers()
  const { servers, total } = useKnownServers()
  const known = new Map(servers.map(({ id, name }) => [id, name]))
  const missing = total === undefined ? [] : pinned.filter((id) => !known.has(id))
  const others = useQueries({
    queries: missing.map((id) => ({
      queryKey: getQueryKey(getServer, { params: { id }, query: {} }),
      queryFn: () => request(getServer, { params: { id }, query: {} }),
      staleTime,
      retry: false,
    })),
  })
  for (const { data } of others) if (data) known.set(data.server.id, data.server.name)

  const shown = pinned.filter((id) => known.has(id))
  const usage = useStates(shown)
  return shown.map((id) => ({ id, name: known.get(id) ?? id, state: usage.get(id) ?? 'unknown' }))
}

/** The states of some servers, asked again and again while the tab is in front. */
export function useStates(ids: readonly string[]): ReadonlyMap<string, DisplayStatus> {
  const usage = useUsageAnswers(ids)
  return new Map((usage.data ?? []).map((one) => [one.id, stateIn(one)]))
}
