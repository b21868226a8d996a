import { isAdmin, type ServerFlag } from '@innkeeper/contract/permissions'
import { getServer } from '@innkeeper/contract/servers'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { useSession } from '../../session/session.tsx'

/** For how long a row believes what its server's rights were. The panel judges every action anew. */
const staleTime = 5 * 60_000

/** What the person may do on each of some servers; `undefined` until it is known. Administrators may do everything. */
export function useRights(ids: readonly string[]): (id: string, flag: ServerFlag) => boolean | undefined {
  const { scopes } = useSession()
  const mayAll = isAdmin(scopes)
  const asked = useQueries({
    queries: (mayAll ? [] : ids).map((id) => ({
      queryKey: getQueryKey(getServer, { params: { id }, query: { perms: '' } }),
      queryFn: () => request(getServer, { params: { id }, query: { perms: '' } }),
      staleTime,
      retry: false,
    })),
  })
  if (mayAll) return () => true
  const rights = new Map(asked.flatMap(({ data }) => (data ? [[data.server.id, data.permissions] as const] : [])))
  return (id, flag) => {
    const known = rights.get(id)
    return known === undefined ? undefined : known?.[flag] === true
  }
}
