import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { loadNodePermissions, type UserOnServer } from '../access/node-permissions.ts'
import type { Database } from '../database/schema.ts'

interface Deps {
  readonly db: Database
  readonly now: () => number
}

export type TaskPermissionsService = ReturnType<typeof taskPermissionsService>

/** Current permissions of users on servers, for the node that runs their tasks. */
export function taskPermissionsService({ db, now }: Deps) {
  return {
    /** Permissions in the order of the request; `null` when the user does not exist or may not see the server. */
    async readPermissions(nodeId: number, pairs: readonly UserOnServer[]): Promise<(RequiredPermission[] | null)[]> {
      if (pairs.length === 0) return []
      const userIds = [...new Set(pairs.map(({ userId }) => userId))]
      const users = await db.selectFrom('users').select('id').where('id', 'in', userIds).execute()
      const existing = new Set(users.map(({ id }) => id))
      const getPermissions = await loadNodePermissions(db, nodeId, pairs, now())
      return pairs.map((pair) => {
        const permissions = existing.has(pair.userId) ? getPermissions(pair) : undefined
        return permissions?.has('viewServer') ? [...permissions] : null
      })
    },
  }
}
