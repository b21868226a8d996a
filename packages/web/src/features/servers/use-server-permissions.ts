import { isAdmin, type ServerPermission } from '@innkeeper/contract/api/permissions'
import { getServer } from '@innkeeper/contract/servers/servers'
import { useQueries } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api.ts'
import { useSession } from '../../session/session.tsx'

/** The panel authorizes every action again: outdated permissions here only show or hide controls. */
const staleTime = 5 * 60_000

/** Whether the user has a permission on a server; `undefined` while that is loading. Administrators have all. */
export type CanOnServer = (id: string, permission: ServerPermission) => boolean | undefined

/** The user's permissions on some servers. */
export function useServerPermissions(ids: readonly string[]): CanOnServer {
  const { scopes } = useSession()
  const canAll = isAdmin(scopes)
  const servers = useQueries({
    queries: (canAll ? [] : ids).map((id) => ({
      queryKey: getQueryKey(getServer, { params: { id }, query: { perms: '' } }),
      queryFn: () => request(getServer, { params: { id }, query: { perms: '' } }),
      staleTime,
      retry: false,
    })),
  })
  if (canAll) return () => true
  const permissions = new Map(
    servers.flatMap(({ data }) => (data ? [[data.server.id, data.permissions] as const] : [])),
  )
  return (id, permission) => {
    const known = permissions.get(id)
    return known === undefined ? undefined : known?.[permission] === true
  }
}
