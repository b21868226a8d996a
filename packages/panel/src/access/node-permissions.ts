import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { hasNotEnded } from '../database/expressions.ts'
import type { Database } from '../database/schema.ts'
import { grantsOfAll } from '../database/users.ts'
import { getServerPermissions, readTagKeys } from './access.ts'
import { findSuspension, suspensionColumns } from './suspension.ts'

/** A user and a server of a node's request for permissions. */
export interface UserOnServer {
  readonly userId: number
  readonly server: string
}

/** Returns the permissions of a user on a server; `undefined` when the node has no such server. */
export type NodePermissions = (pair: UserOnServer) => ReadonlySet<RequiredPermission> | undefined

/** Loads what users may do on servers of a node. A node gets only its own servers. */
export async function loadNodePermissions(
  db: Database,
  nodeId: number,
  pairs: readonly UserOnServer[],
  now: number,
): Promise<NodePermissions> {
  const userIds = [...new Set(pairs.map(({ userId }) => userId))]
  const serverIds = [...new Set(pairs.map(({ server }) => server))]
  const rows = await db
    .selectFrom('servers')
    .leftJoin('server_users', (join) =>
      join
        .onRef('server_users.server_id', '=', 'servers.id')
        .on('server_users.user_id', 'in', userIds)
        .on(hasNotEnded(now)),
    )
    .select(['servers.id', 'server_users.user_id', 'server_users.rights', ...suspensionColumns])
    .where('servers.id', 'in', serverIds)
    .where('servers.node_id', '=', nodeId)
    .execute()
  const suspended = new Map(rows.map((row) => [row.id, findSuspension(row, now) !== undefined]))
  const permissions = new Map(rows.map(({ id, user_id, rights: permissions }) => [`${id} ${user_id}`, permissions]))
  const getGrants = await grantsOfAll(db, userIds)
  const tags = await readTagKeys(db, serverIds, userIds.map(getGrants))
  return ({ userId, server }) => {
    const isSuspended = suspended.get(server)
    if (isSuspended === undefined) return undefined
    const row = permissions.get(`${server} ${userId}`) ?? null
    return getServerPermissions(getGrants(userId), { id: server, tagKeys: tags(server), isSuspended }, row)
  }
}
