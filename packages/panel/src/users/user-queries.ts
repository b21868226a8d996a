import type { ServerOfUser, UserDetail, UserEntry } from '@innkeeper/contract/accounts/users'
import { getPaging, type PageQuery, type Paging } from '@innkeeper/contract/api/paging'
import { isAdmin } from '@innkeeper/contract/api/permissions'
import { parsePermissions } from '../access/access.ts'
import type { TwoFactorService } from '../auth/two-factor.ts'
import { fixedLimit, matchesWildcard } from '../database/expressions.ts'
import { countRows } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { requireUserById } from '../database/users.ts'

interface Deps {
  readonly db: Database
  readonly twoFactor: Pick<TwoFactorService, 'isOn'>
}

export interface UserQuery extends PageQuery {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly access?: 'admin' | undefined
}

export type UserQueries = ReturnType<typeof userQueries>

/** What administrators see of users. */
export function userQueries({ db, twoFactor }: Deps) {
  return {
    /** A page of users, by name. */
    async list(query: UserQuery): Promise<{ users: UserEntry[]; paging: Paging }> {
      let matching = db.selectFrom('users')
      const { username } = query
      if (username) {
        // People are also known by their address, which no username equals: it has an `@`.
        const columns = ['username_key', 'email_key']
        matching = matching.where(({ or }) => or(columns.map((column) => matchesWildcard(column, username))))
      }
      if (query.email) matching = matching.where(matchesWildcard('email_key', query.email))
      if (query.access === 'admin') {
        const admins = db.selectFrom('user_scopes').select('user_id').where('scope', '=', 'servers.admin')
        matching = matching.where('id', 'in', admins)
      }
      const count = matching.select(({ fn }) => fn.countAll<number | bigint | string>().as('total'))
      const rows = await matching
        .select(['id', 'username', 'email', count.as('total')])
        .orderBy('username_key')
        .limit(fixedLimit(query.limit))
        .offset((query.page - 1) * query.limit)
        .execute()
      // A page after the last one has no rows, and so no total.
      const total = rows[0]?.total ?? (await count.executeTakeFirst())?.total ?? 0
      const access = await readAccess(db, rows)
      return {
        users: rows.map(({ id, username, email }) => ({ id, username, email, access: access(id) })),
        paging: getPaging(query, Number(total)),
      }
    },

    async get(id: number): Promise<UserDetail> {
      const { username, email, email_confirmed_at } = await requireUserById(db, id)
      return { id, username, email, otpEnabled: await twoFactor.isOn(id), emailConfirmed: email_confirmed_at !== null }
    },

    /** A page of the servers that a user has access to, by name. */
    async servers(id: number, { page, limit }: PageQuery): Promise<{ servers: ServerOfUser[]; paging: Paging }> {
      await requireUserById(db, id)
      const matching = db
        .selectFrom('server_users')
        .innerJoin('servers', 'servers.id', 'server_users.server_id')
        .where('server_users.user_id', '=', id)
      const total = await countRows(matching)
      const rows = await matching
        .select(['servers.id', 'servers.name', 'server_users.rights'])
        .orderBy('servers.name_sort')
        .orderBy('servers.name_key')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute()
      const servers = rows.map(({ id, name, rights }) => ({ id, name, permissions: [...parsePermissions(rights)] }))
      return { servers, paging: getPaging({ page, limit }, total) }
    },
  }
}

/** The access level of users. */
async function readAccess(
  db: Database,
  users: readonly { readonly id: number }[],
): Promise<(id: number) => NonNullable<UserEntry['access']>> {
  const ids = users.map(({ id }) => id)
  if (ids.length === 0) return () => 'none'
  const scopes = await db.selectFrom('user_scopes').selectAll().where('user_id', 'in', ids).execute()
  const servers = await db.selectFrom('server_users').select('user_id').distinct().where('user_id', 'in', ids).execute()
  const roles = await db.selectFrom('role_grants').select('user_id').distinct().where('user_id', 'in', ids).execute()
  const admins = new Set(scopes.filter(({ scope }) => isAdmin([scope])).map(({ user_id }) => user_id))
  const others = new Set([...scopes, ...servers, ...roles].map(({ user_id }) => user_id))
  return (id) => (admins.has(id) ? 'admin' : others.has(id) ? 'some' : 'none')
}
