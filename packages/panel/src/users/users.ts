import { type Language, languageSetting } from '@innkeeper/contract/languages'
import { type PanelScope, panelScopes } from '@innkeeper/contract/permissions'
import { mapUniqueViolation } from '../database/errors.ts'
import { nextId } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'

/** A person as the record of activity names them: the name of that moment, and the number that stays. */
export const userLabel = ({ id, username }: Pick<UserRow, 'id' | 'username'>): string => `${username} #${id}`

export interface NewUser {
  readonly username: string
  readonly email: string
  /** The hash, never the password. */
  readonly password: string
  readonly scopes: readonly PanelScope[]
  /** Whether somebody vouched for the address, or its owner opened a link sent to it. */
  readonly isEmailConfirmed: boolean
  /** Theirs until they choose another. */
  readonly language?: Language | undefined
}

/** Adds a person; the database judges whether name and address are free. */
export async function addUser(transaction: Transaction, user: NewUser, now: number): Promise<number> {
  const id = await nextId(transaction, 'users')
  await uniquePerson(() =>
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

/** What can change of a person; the password is its hash. */
export interface UserChange {
  readonly username?: string | undefined
  readonly email?: string | undefined
  /** Goes with another address: since when it is known to be theirs, `null` when it is not. */
  readonly emailConfirmedAt?: number | null | undefined
  readonly password?: string | undefined
}

/** Changes what is given. Links to set a forgotten password end with the address or password that they were made for. */
export async function changeUser(transaction: Transaction, id: number, change: UserChange): Promise<void> {
  const { username, email, emailConfirmedAt, password } = change
  const columns = {
    ...(username === undefined ? {} : { username, username_key: lowerCaseKey(username) }),
    ...(email === undefined ? {} : { email, email_key: lowerCaseKey(email) }),
    ...(emailConfirmedAt === undefined ? {} : { email_confirmed_at: emailConfirmedAt }),
    ...(password === undefined ? {} : { password }),
  }
  if (Object.keys(columns).length === 0) return
  await uniquePerson(() => transaction.updateTable('users').set(columns).where('id', '=', id).execute())
  if (email !== undefined || password !== undefined) {
    await transaction.deleteFrom('password_resets').where('user_id', '=', id).execute()
  }
  if (email !== undefined) await transaction.deleteFrom('email_confirmations').where('user_id', '=', id).execute()
}

/** What anybody who edits a person sees of who they are: its version is made of it. */
export const identityOf = ({ username, email }: Pick<UserRow, 'username' | 'email'>) => [username, email]

async function uniquePerson<T>(statement: () => Promise<T>): Promise<T> {
  const withAddress = () => mapUniqueViolation('users_email_uq', 'ErrDuplicateEmail', statement, { field: 'email' })
  return mapUniqueViolation('users_username_uq', 'ErrDuplicateUsername', withAddress, { field: 'username' })
}

/**
 * The person as they are now; until the transaction ends nobody else changes them. What opens a session and what ends
 * sessions both begin with this, so that none slips in between.
 */
export async function lockUser(transaction: Transaction, id: number): Promise<UserRow | undefined> {
  await transaction
    .updateTable('users')
    .set((row) => ({ created_at: row.ref('created_at') }))
    .where('id', '=', id)
    .execute()
  return userById(transaction, id)
}

export async function userById(db: Database, id: number): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function userByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email_key', '=', lowerCaseKey(email)).executeTakeFirst()
}

/** The numbers of the people with these names; `undefined` stands for a name that nobody has. */
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

/** A person's row on a server: their flags there as text; `undefined` when they have none. */
export async function serverPermissionsRow(
  db: Database,
  serverId: string,
  userId: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('server_users')
    .select('rights')
    .where('server_id', '=', serverId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.rights
}

/** Whether a person may see any server by a row of their own. */
export async function hasServers(db: Database, userId: number): Promise<boolean> {
  const row = await db.selectFrom('server_users').select('server_id').where('user_id', '=', userId).executeTakeFirst()
  return row !== undefined
}

/** The scopes a person holds now; scopes that we do not know are none. */
export async function scopesOf(db: Database, userId: number): Promise<readonly PanelScope[]> {
  return (await scopesOfAll(db, [userId]))(userId)
}

/** The scopes that each of some people holds now. */
export async function scopesOfAll(
  db: Database,
  userIds: readonly number[],
): Promise<(userId: number) => readonly PanelScope[]> {
  const rows =
    userIds.length === 0 ? [] : await db.selectFrom('user_scopes').selectAll().where('user_id', 'in', userIds).execute()
  const held = new Set(rows.map(({ user_id, scope }) => `${user_id} ${scope}`))
  return (userId) => panelScopes.filter((scope) => held.has(`${userId} ${scope}`))
}

/** Whether there is an administrator, or one beside a person. */
export async function hasAdministrator(db: Database, but?: number): Promise<boolean> {
  const asking = db.selectFrom('user_scopes').select('user_id').where('scope', '=', 'servers.admin')
  const row = await (but === undefined ? asking : asking.where('user_id', '!=', but)).executeTakeFirst()
  return row !== undefined
}

/** The name under which `alone` lets one change of rights pass after the other. */
export const permissionsLock = 'rights'

/** Databases differ in how they compare letters; names and addresses are found by their lower-cased copy. */
export const lowerCaseKey = (text: string): string => text.toLowerCase()
