import { type PanelScope, panelScopes, type RequiredPermission } from '@innkeeper/contract/api/permissions'
import { loadNodePermissions, type UserOnServer } from '../access/node-permissions.ts'
import type { Database } from '../database/schema.ts'

interface Deps {
  readonly db: Database
  readonly now: () => number
}

export type TaskPermissionsService = ReturnType<typeof taskPermissionsService>

/** Current permissions of users on servers, for the node that runs their tasks. */
export function taskPermissionsService({ db, now }: Deps) {
  async function readScopes(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly PanelScope[]>> {
    const rows = await db
      .selectFrom('users')
      .leftJoin('user_scopes', 'user_scopes.user_id', 'users.id')
      .select(['users.id', 'user_scopes.scope'])
      .where('users.id', 'in', userIds)
      .execute()
    const scopes = new Map<number, PanelScope[]>()
    for (const { id, scope } of rows) {
      const panelScope = panelScopes.find((known) => known === scope)
      scopes.set(id, [...(scopes.get(id) ?? []), ...(panelScope ? [panelScope] : [])])
    }
    return scopes
  }

  return {
    /** Permissions in the order of the request; `null` when the user does not exist or may not see the server. */
    async readPermissions(nodeId: number, pairs: readonly UserOnServer[]): Promise<(RequiredPermission[] | null)[]> {
      if (pairs.length === 0) return []
      const scopes = await readScopes([...new Set(pairs.map(({ userId }) => userId))])
      const getPermissions = await loadNodePermissions(db, nodeId, pairs, now())
      return pairs.map((pair) => {
        const userScopes = scopes.get(pair.userId)
        const permissions = userScopes && getPermissions(pair, userScopes)
        return permissions?.has('viewServer') ? [...permissions] : null
      })
    },
  }
}
