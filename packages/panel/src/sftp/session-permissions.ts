import { type PanelScope, panelScopes, type RequiredPermission } from '@innkeeper/contract/api/permissions'
import { loadNodePermissions, type NodePermissions, type UserOnServer } from '../access/node-permissions.ts'
import type { Database } from '../database/schema.ts'
import { hashToken } from '../security/secrets.ts'

/** A user with the credentials that a session depends on. */
interface SessionUser {
  readonly username: string
  readonly password: string
  readonly stamp: string
  readonly hasTwoFactor: boolean
  readonly scopes: readonly PanelScope[]
}

/** Users of sessions and their permissions on servers of a node. */
export interface SessionPermissions {
  readonly users: ReadonlyMap<number, SessionUser>
  readonly getPermissions: NodePermissions
}

/** Current permissions on servers of a node, by user and server, with two queries. */
export async function loadSessionPermissions(
  db: Database,
  nodeId: number,
  pairs: readonly UserOnServer[],
): Promise<SessionPermissions> {
  const userIds = [...new Set(pairs.map(({ userId }) => userId))]
  const users = new Map<number, SessionUser>()
  if (pairs.length === 0) return { users, getPermissions: () => undefined }
  const rows = await db
    .selectFrom('users')
    .leftJoin('two_factor', (join) => join.onRef('two_factor.user_id', '=', 'users.id').on('two_factor.is_on', '=', 1))
    .leftJoin('user_scopes', 'user_scopes.user_id', 'users.id')
    .select(['users.id', 'users.username', 'users.password', 'two_factor.secret', 'user_scopes.scope'])
    .where('users.id', 'in', userIds)
    .execute()
  for (const { id, username, password, secret, scope } of rows) {
    const scopes = users.get(id)?.scopes ?? []
    const panelScope = panelScopes.find((known) => known === scope)
    const stamp = hashToken(`${id} ${password} ${secret ?? ''}`)
    users.set(id, {
      username,
      password,
      stamp,
      hasTwoFactor: secret !== null,
      scopes: panelScope ? [...scopes, panelScope] : scopes,
    })
  }
  return { users, getPermissions: await loadNodePermissions(db, nodeId, pairs) }
}

/** The permissions of an open session; `undefined` when it must end. */
export function sftpPermissionsOn(
  { users, getPermissions }: SessionPermissions,
  userId: number,
  server: string,
): ReadonlySet<RequiredPermission> | undefined {
  const user = users.get(userId)
  const permissions = user && getPermissions({ userId, server }, user.scopes)
  return permissions?.has('sftpServer') ? permissions : undefined
}

/** Changes with the user's password and two-factor; for a key login it includes the key. */
export function credentialFingerprint({ stamp }: SessionUser, keyId: string | undefined): string {
  return keyId === undefined ? stamp : `${stamp} ${keyId}`
}

/** The ID of the key in a fingerprint; `undefined` for a login with a password. */
export function findKeyId(stamp: string): string | undefined {
  return stamp.split(' ')[1]
}
