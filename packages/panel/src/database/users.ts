import {
  type PanelScope,
  panelScopes,
  type ServerPermission,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type Language, languageSetting } from '@innkeeper/contract/text/languages'
import { sql } from 'kysely'
import { mapUniqueViolation } from './errors.ts'
import { hasNotEnded } from './expressions.ts'
import { nextId } from './rows.ts'
import type { Database, Transaction, UserRow } from './schema.ts'

/** A user in the audit log: the name at the time, and the ID. */
export const userLabel = ({ id, username }: Pick<UserRow, 'id' | 'username'>): string => `${username} #${id}`

/** The stored password of an account that has none. No hash is empty, and no password matches it. */
export const noPassword = ''

export interface NewUser {
  readonly username: string
  readonly email: string
  /** The password hash, or `noPassword`. */
  readonly password: string
  readonly scopes: readonly PanelScope[]
  /** Whether the address is confirmed, by an administrator or a link sent to it. */
  readonly isEmailConfirmed: boolean
  /** The language until the user selects another one. */
  readonly language?: Language | undefined
}

/** Inserts a user; the database enforces unique name and address. */
export async function addUser(transaction: Transaction, user: NewUser, now: number): Promise<number> {
  const id = await nextId(transaction, 'users')
  await rejectDuplicateUser(() =>
    transaction
      .insertInto('users')
      .values({
        id,
        username: user.username,
        username_key: lowerCaseKey(user.username),
        email: user.email,
        email_key: lowerCaseKey(user.email),
        password: user.password,
        created_at: now,
        email_confirmed_at: user.isEmailConfirmed ? now : null,
      })
      .execute(),
  )
  if (user.scopes.length > 0) {
    await transaction
      .insertInto('user_scopes')
      .values(user.scopes.map((scope) => ({ user_id: id, scope })))
      .execute()
  }
  if (user.language !== undefined) {
    const setting = { user_id: id, key: languageSetting, value: user.language }
    await transaction.insertInto('user_settings').values(setting).execute()
  }
  return id
}

/** Changes of a user; the password is the hash. */
export interface UserChange {
  readonly username?: string | undefined
  readonly email?: string | undefined
  /** Set together with another address: when it was confirmed, `null` when it is not. */
  readonly emailConfirmedAt?: number | null | undefined
  readonly password?: string | undefined
}

/** Updates the given fields. A new address or password deletes pending password reset links. */
export async function changeUser(transaction: Transaction, id: number, change: UserChange): Promise<void> {
  const { username, email, emailConfirmedAt, password } = change
  const columns = {
    ...(username === undefined ? {} : { username, username_key: lowerCaseKey(username) }),
    ...(email === undefined ? {} : { email, email_key: lowerCaseKey(email) }),
    ...(emailConfirmedAt === undefined ? {} : { email_confirmed_at: emailConfirmedAt }),
    ...(password === undefined ? {} : { password }),
  }
  if (Object.keys(columns).length === 0) return
  await rejectDuplicateUser(() => transaction.updateTable('users').set(columns).where('id', '=', id).execute())
  if (email !== undefined || password !== undefined) {
    await transaction.deleteFrom('password_resets').where('user_id', '=', id).execute()
  }
  if (email !== undefined) await transaction.deleteFrom('email_confirmations').where('user_id', '=', id).execute()
}

/** The editable fields of a user, from which the version is computed. */
export const getIdentity = ({ username, email }: Pick<UserRow, 'username' | 'email'>) => [username, email]

async function rejectDuplicateUser<T>(statement: () => Promise<T>): Promise<T> {
  const withAddress = () => mapUniqueViolation('users_email_uq', 'ErrDuplicateEmail', statement, { field: 'email' })
  return mapUniqueViolation('users_username_uq', 'ErrDuplicateUsername', withAddress, { field: 'username' })
}

/**
 * Reads a user and locks the row until the end of the transaction. Opening a session and ending sessions both begin
 * with this, so that no session is missed.
 */
export async function lockUser(transaction: Transaction, id: number): Promise<UserRow | undefined> {
  await transaction
    .updateTable('users')
    .set((row) => ({ created_at: row.ref('created_at') }))
    .where('id', '=', id)
    .execute()
  return userById(transaction, id)
}

/** @throws ErrUserNotFound */
export async function requireUserById(db: Database, id: number): Promise<UserRow> {
  const user = await userById(db, id)
  if (!user) throw new Refusal('ErrUserNotFound')
  return user
}

export async function userById(db: Database, id: number): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function userByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email_key', '=', lowerCaseKey(email)).executeTakeFirst()
}

/** IDs of users by name; `undefined` for an unknown name. */
export async function userIdsByName(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, number | undefined>> {
  const rows =
    names.length === 0
      ? []
      : await db
          .selectFrom('users')
          .select(['id', 'username_key'])
          .where('username_key', 'in', names.map(lowerCaseKey))
          .execute()
  const ids = new Map(rows.map((row) => [row.username_key, row.id]))
  return new Map(names.map((name) => [name, ids.get(lowerCaseKey(name))]))
}

/** A user's permissions on a server as stored, and when they end; `undefined` when the user has no access. */
export async function serverPermissionsRow(
  db: Database,
  serverId: string,
  userId: number,
  now: number,
): Promise<{ readonly rights: string; readonly expires_at: number | null } | undefined> {
  return await db
    .selectFrom('server_users')
    .select(['rights', 'expires_at'])
    .where('server_id', '=', serverId)
    .where('user_id', '=', userId)
    .where(hasNotEnded(now))
    .executeTakeFirst()
}

/** Whether a user has access to any server, or a role. */
export async function hasServers(db: Database, userId: number): Promise<boolean> {
  const role = await db.selectFrom('role_grants').select('role_id').where('user_id', '=', userId).executeTakeFirst()
  if (role) return true
  const row = await db.selectFrom('server_users').select('server_id').where('user_id', '=', userId).executeTakeFirst()
  return row !== undefined
}

/** Permissions that a role gives on servers with a tag, or on all servers. */
export interface RoleGrant {
  readonly permissions: readonly ServerPermission[]
  /** `undefined` for all servers. */
  readonly tagKey: string | undefined
}

/** What a user may do in the panel and, by roles, on servers; without access to single servers. */
export interface Grants {
  /** Own scopes and those of roles. */
  readonly scopes: readonly PanelScope[]
  readonly roles: readonly RoleGrant[]
}

/** Current scopes and roles of a user; unknown ones are ignored. */
export async function readGrants(db: Database, userId: number): Promise<Grants> {
  return (await grantsOfAll(db, [userId]))(userId)
}

/** Current scopes of a user, also those of roles. */
export async function readScopes(db: Database, userId: number): Promise<readonly PanelScope[]> {
  return (await readGrants(db, userId)).scopes
}

/** Scopes that a user has without roles. */
export async function readOwnScopes(db: Database, userId: number): Promise<readonly PanelScope[]> {
  const rows = await db.selectFrom('user_scopes').select('scope').where('user_id', '=', userId).execute()
  return panelScopes.filter((scope) => rows.some((row) => row.scope === scope))
}

/** Current scopes and roles of several users, with one query. */
export async function grantsOfAll(db: Database, userIds: readonly number[]): Promise<(userId: number) => Grants> {
  if (userIds.length === 0) return () => ({ scopes: [], roles: [] })
  const rows = await db
    .selectFrom('user_scopes')
    .select(['user_id', 'scope as scopes', sql<string>`''`.as('rights'), sql<string>`''`.as('tag_key')])
    .where('user_id', 'in', userIds)
    .unionAll((query) =>
      query
        .selectFrom('role_grants')
        .innerJoin('roles', 'roles.id', 'role_grants.role_id')
        .select(['role_grants.user_id', 'roles.scopes', 'roles.rights', 'role_grants.tag_key'])
        .where('role_grants.user_id', 'in', userIds),
    )
    .execute()
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id)
  return (userId) => {
    const granted = byUser.get(userId) ?? []
    const scopes = new Set(granted.flatMap((row) => row.scopes.split(' ')))
    return {
      scopes: panelScopes.filter((scope) => scopes.has(scope)),
      roles: granted
        .map(({ rights, tag_key }) => ({ permissions: toPermissions(rights), tagKey: tag_key || undefined }))
        .filter(({ permissions }) => permissions.length > 0),
    }
  }
}

function toPermissions(rights: string): readonly ServerPermission[] {
  const named = new Set(rights.split(' '))
  return serverPermissionNames.filter((permission) => named.has(permission))
}

/** Current scopes of several users, also those of roles. */
export async function scopesOfAll(
  db: Database,
  userIds: readonly number[],
): Promise<(userId: number) => readonly PanelScope[]> {
  const getGrants = await grantsOfAll(db, userIds)
  return (userId) => getGrants(userId).scopes
}

/** Whether there is an administrator, or another one than the given user. No role makes one. */
export async function hasAdministrator(db: Database, but?: number): Promise<boolean> {
  const query = db.selectFrom('user_scopes').select('user_id').where('scope', '=', 'servers.admin')
  const row = await (but === undefined ? query : query.where('user_id', '!=', but)).executeTakeFirst()
  return row !== undefined
}

/** Name of the `lock` that serializes changes of permissions. */
export const permissionsLock = 'rights'

/** Databases compare letters differently, so names and addresses are found by a lower-case copy. */
export const lowerCaseKey = (text: string): string => text.toLowerCase()
