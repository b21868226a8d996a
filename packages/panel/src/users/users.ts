import { type PanelScope, panelScopes } from '@innkeeper/contract/permissions'
import { unique } from '../database/failures.ts'
import { nextNumber } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'

export interface NewUser {
  readonly username: string
  readonly email: string
  /** The hash, never the password. */
  readonly password: string
  readonly scopes: readonly PanelScope[]
}

/** Adds a person; the database judges whether name and address are free. */
export async function addUser(transaction: Transaction, user: NewUser, now: number): Promise<number> {
  const id = await nextNumber(transaction, 'users')
  const insert = () =>
    transaction
      .insertInto('users')
      .values({
        id,
        username: user.username,
        username_key: keyOf(user.username),
        email: user.email,
        email_key: keyOf(user.email),
        password: user.password,
        created_at: now,
      })
      .execute()
  await unique(
    'users_username_uq',
    'ErrFieldInvalid',
    () => unique('users_email_uq', 'ErrFieldInvalid', insert, { field: 'email' }),
    { field: 'username' },
  )
  if (user.scopes.length > 0) {
    await transaction
      .insertInto('user_scopes')
      .values(user.scopes.map((scope) => ({ user_id: id, scope })))
      .execute()
  }
  return id
}

export async function userByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email_key', '=', keyOf(email)).executeTakeFirst()
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
          .where('username_key', 'in', names.map(keyOf))
          .execute()
  const ids = new Map(rows.map((row) => [row.username_key, row.id]))
  return new Map(names.map((name) => [name, ids.get(keyOf(name))]))
}

/** The scopes a person holds now; scopes that we do not know are none. */
export async function scopesOf(db: Database, userId: number): Promise<readonly PanelScope[]> {
  const rows = await db.selectFrom('user_scopes').select('scope').where('user_id', '=', userId).execute()
  const held = new Set(rows.map((row) => row.scope))
  return panelScopes.filter((scope) => held.has(scope))
}

export async function hasAdministrator(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('user_scopes')
    .select('user_id')
    .where('scope', '=', 'servers.admin')
    .executeTakeFirst()
  return row !== undefined
}

/** Databases differ in how they compare letters; names and addresses are found by their lower-cased copy. */
const keyOf = (text: string): string => text.toLowerCase()
