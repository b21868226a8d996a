import { type PanelScope, panelScopes, type RequiredPermission } from '@innkeeper/contract/permissions'
import { serverPermissionsOf } from '../access/access.ts'
import type { Database } from '../database/schema.ts'

export type TaskPermissionsService = ReturnType<typeof taskPermissionsService>

/** Current permissions of users on servers, for the node that runs their tasks. A node gets only its own servers. */
export function taskPermissionsService({ db }: { readonly db: Database }) {
  async function scopesOf(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly PanelScope[]>> {
    const rows = await db
      .selectFrom('users')
      .leftJoin('user_scopes', 'user_scopes.user_id', 'users.id')
      .select(['users.id', 'user_scopes.scope'])
      .where('users.id', 'in', userIds)
      .execute()
    const scopes = new Map<number, PanelScope[]>()
    for (const { id, scope } of rows) {
      const held = panelScopes.find((known) => known === scope)
      scopes.set(id, [...(scopes.get(id) ?? []), ...(held ? [held] : [])])
    }
    return scopes
  }

  return {
    /** Permissions in the order of the request; `null` when the user does not exist or may not see the server. */
    async rights(
      nodeId: number,
      wanted: readonly { readonly userId: number; readonly server: string }[],
    ): Promise<(RequiredPermission[] | null)[]> {
      if (wanted.length === 0) return []
      const userIds = [...new Set(wanted.map(({ userId }) => userId))]
      const serverIds = [...new Set(wanted.map(({ server }) => server))]
      const scopes = await scopesOf(userIds)
      const rows = await db
        .selectFrom('servers')
        .leftJoin('server_users', (join) =>
          join.onRef('server_users.server_id', '=', 'servers.id').on('server_users.user_id', 'in', userIds),
        )
        .select(['servers.id', 'server_users.user_id', 'server_users.rights'])
        .where('servers.id', 'in', serverIds)
        .where('servers.node_id', '=', nodeId)
        .execute()
      const servers = new Set(rows.map(({ id }) => id))
      const given = new Map(rows.map(({ id, user_id, rights }) => [`${id} ${user_id}`, rights]))
      return wanted.map(({ userId, server }) => {
        const held = scopes.get(userId)
        if (!held || !servers.has(server)) return null
        const rights = serverPermissionsOf(
          { scopes: held, client: undefined },
          server,
          given.get(`${server} ${userId}`) ?? null,
        )
        return rights.has('viewServer') ? [...rights] : null
      })
    },
  }
}
