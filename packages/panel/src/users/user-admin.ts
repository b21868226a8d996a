import { type PageQuery, type Paging, pagingOf } from '@innkeeper/contract/paging'
import {
  type GlobalPermissions,
  globalPermissionsOf,
  isAdmin,
  scopesOfPermissions,
} from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerOfUser, UserDetail, UserEntry, UserView } from '@innkeeper/contract/users'
import { parsePermissions } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope, UserPrincipal } from '../access/principal.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { removeTwoFactor, type TwoFactorService } from '../auth/two-factor.ts'
import { fixedLimit, matchesWildcard } from '../database/expressions.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'
import type { MailService } from '../mail/mail.ts'
import { type EmailConfirmation, markEmailConfirmed } from './email-confirmation.ts'
import { type Grantor, loadGrantor, requireOtherAdministrator, requireScopes, requireSuperset } from './grantor.ts'
import { removeKeysAndClients } from './keys-and-clients.ts'
import { addUser, changeUser, identityOf, lockUser, lowerCaseKey, scopesOf, userById, userLabel } from './users.ts'

interface Deps {
  readonly db: Database
  readonly sessions: SessionsService
  readonly passwords: Pick<Passwords, 'hash'>
  readonly twoFactor: Pick<TwoFactorService, 'isOn'>
  readonly mail: Pick<MailService, 'queue'>
  readonly emailConfirmation: Pick<EmailConfirmation, 'send'>
  readonly now: () => number
}

interface UserUpdate extends PageQuery {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly access?: 'admin' | undefined
}

interface NewPerson {
  readonly username: string
  readonly email: string
  readonly password: string
}

/** Changes of a user; an empty password keeps the current one. */
interface Change {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly password?: string | undefined
}

export type UserAdminService = ReturnType<typeof userAdminService>

/** User administration. */
export function userAdminService({ db, sessions, passwords, twoFactor, mail, emailConfirmation, now }: Deps) {
  async function found(on: Database, id: number): Promise<UserRow> {
    const user = await userById(on, id)
    if (!user) throw new Refusal('ErrUserNotFound')
    return user
  }

  return {
    /** A page of users, by name. */
    async list(query: UserUpdate): Promise<{ users: UserEntry[]; paging: Paging }> {
      let matching = db.selectFrom('users')
      if (query.username) matching = matching.where(matchesWildcard('username_key', query.username))
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
      const access = await accessOf(db, rows)
      return {
        users: rows.map(({ id, username, email }) => ({ id, username, email, access: access(id) })),
        paging: pagingOf(query, Number(total)),
      }
    },

    async get(id: number): Promise<UserDetail> {
      const { username, email, email_confirmed_at } = await found(db, id)
      return { id, username, email, otpEnabled: await twoFactor.isOn(id), emailConfirmed: email_confirmed_at !== null }
    },

    /** Creates a user without permissions. */
    async create(
      principal: PrincipalWithScope<'users.edit'>,
      newPerson: NewPerson,
      audit: AuditContext,
    ): Promise<UserView> {
      const { username, email } = newPerson
      const password = await passwords.hash(newPerson.password)
      const id = await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadGrantor(transaction, principal)
        requireScopes(grantor, ['users.edit'])
        // An address set by an administrator counts as confirmed; any other must be confirmed by its owner.
        const isEmailConfirmed = isAdmin(grantor.scopes)
        const { userId: by } = principal
        const who = { username, email, password, isEmailConfirmed, scopes: [] }
        const added = await addUser(transaction, who, now())
        if (isEmailConfirmed) await markEmailConfirmed(transaction, { id: added, email }, now())
        else await emailConfirmation.send(transaction, { id: added, username, email }, by)
        await mail.queue(transaction, 'accountCreation', { to: who.email, by }, { username: who.username })
        return added
      })
      return { id, username, email }
    },

    /** Changes name, address or password of another user; of oneself only the name. */
    async edit(
      principal: PrincipalWithScope<'users.edit'>,
      id: number,
      change: Change,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      const hash = change.password ? await passwords.hash(change.password) : undefined
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadGrantor(transaction, principal)
        requireScopes(grantor, ['users.edit'])
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        await requireMayEdit(transaction, grantor, id)
        requireCurrent(expectedVersion, identityOf(user))

        const username = change.username === user.username ? undefined : change.username
        const email = change.email === user.email ? undefined : change.email
        // Changes of one's own account require the current password.
        const isCredential = email !== undefined || hash !== undefined
        if (isCredential && id === principal.userId) throw new Refusal('ErrOwnAccount')
        // The name counts as well: servers are created for users by name.
        const isOther = id !== principal.userId && (isCredential || username !== undefined)
        if (isOther) await requireSuperset(transaction, grantor, id)
        const isOtherAddress = email !== undefined && lowerCaseKey(email) !== user.email_key
        const emailConfirmedAt = isOtherAddress ? null : undefined
        await changeUser(transaction, id, { username, email, emailConfirmedAt, password: hash })
        const by = principal.userId
        if (isOtherAddress) {
          if (isAdmin(grantor.scopes)) await markEmailConfirmed(transaction, { id, email }, now())
          else await emailConfirmation.send(transaction, { id, username: username ?? user.username, email }, by)
        }
        if (email !== undefined)
          await mail.queue(transaction, 'emailChanged', { to: user.email, person: id, by }, { newEmail: email })
        if (hash !== undefined) {
          await sessions.endOthers(id, undefined, transaction)
          await removeKeysAndClients(transaction, mail, user)
          await mail.queue(transaction, 'passwordChanged', { to: user.email, person: id, by }, {})
        }
      })
      sessions.invalidate(id)
    },

    /** Deletes a user with sessions, permissions and clients; not the last administrator. */
    async remove(principal: PrincipalWithScope<'users.edit'>, id: number, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadGrantor(transaction, principal)
        requireScopes(grantor, ['users.edit'])
        audit.setSubject({ target: userLabel(await found(transaction, id)) })
        // An OAuth2 client of a user must not delete the user.
        if (principal.client && id === principal.userId) throw new Refusal('ErrOwnAccount')
        await requireMayEdit(transaction, grantor, id)
        if (isAdmin(await scopesOf(transaction, id))) await requireOtherAdministrator(transaction, id)
        await transaction.deleteFrom('users').where('id', '=', id).execute()
      })
      sessions.invalidate(id)
    },

    /** For a user who lost phone and recovery codes. Also removes other credentials of the account. */
    async resetOtp(
      principal: UserPrincipal & PrincipalWithScope<'users.edit'>,
      id: number,
      audit: AuditContext,
    ): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadGrantor(transaction, principal)
        requireScopes(grantor, ['users.edit'])
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        if (id === principal.userId) throw new Refusal('ErrOwnAccount')
        await requireSuperset(transaction, grantor, id)
        await removeTwoFactor(transaction, id)
        await removeKeysAndClients(transaction, mail, user)
        await sessions.endOthers(id, undefined, transaction)
        await mail.queue(transaction, 'otpDisabled', { to: user.email, by: principal.userId }, {})
      })
      sessions.invalidate(id)
    },

    async permissions(id: number): Promise<GlobalPermissions> {
      const { username, email } = await found(db, id)
      return { username, email, ...globalPermissionsOf(await scopesOf(db, id)) }
    },

    /** A page of the servers that a user has access to, by name. */
    async servers(id: number, { page, limit }: PageQuery): Promise<{ servers: ServerOfUser[]; paging: Paging }> {
      await found(db, id)
      const matching = db
        .selectFrom('server_users')
        .innerJoin('servers', 'servers.id', 'server_users.server_id')
        .where('server_users.user_id', '=', id)
      const { total } = await matching
        .select(({ fn }) => fn.countAll<number | bigint | string>().as('total'))
        .executeTakeFirstOrThrow()
      const rows = await matching
        .select(['servers.id', 'servers.name', 'server_users.rights'])
        .orderBy('servers.name_key')
        .orderBy('servers.id')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute()
      const servers = rows.map(({ id, name, rights }) => ({ id, name, permissions: [...parsePermissions(rights)] }))
      return { servers, paging: pagingOf({ page, limit }, Number(total)) }
    },

    /**
     * Replaces the permissions. The principal must have what is new, and only administrators can change an
     * administrator.
     */
    async setPermissions(
      principal: PrincipalWithScope<'users.edit'>,
      id: number,
      flags: GlobalPermissions,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      const newScopes = scopesOfPermissions(flags)
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadGrantor(transaction, principal)
        requireScopes(grantor, ['users.edit'])
        // Concurrent changes of one user are serialized.
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        const currentScopes = await scopesOf(transaction, id)
        requireCurrent(expectedVersion, scopesOfPermissions(globalPermissionsOf(currentScopes)))
        requireScopes(
          grantor,
          newScopes.filter((scope) => !currentScopes.includes(scope)),
        )
        await requireMayEdit(transaction, grantor, id)
        if (isAdmin(currentScopes) && !isAdmin(newScopes)) await requireOtherAdministrator(transaction, id)
        await replaceScopes(transaction, id, newScopes)
      })
      sessions.invalidate(id)
    },
  }
}

/** Only administrators may change an administrator. */
async function requireMayEdit(transaction: Transaction, grantor: Grantor, id: number): Promise<void> {
  if (isAdmin(await scopesOf(transaction, id))) requireScopes(grantor, ['servers.admin'])
}

async function replaceScopes(transaction: Transaction, id: number, scopes: readonly string[]): Promise<void> {
  await transaction.deleteFrom('user_scopes').where('user_id', '=', id).execute()
  if (scopes.length === 0) return
  await transaction
    .insertInto('user_scopes')
    .values(scopes.map((scope) => ({ user_id: id, scope })))
    .execute()
}

/** The access level of users. */
async function accessOf(
  db: Database,
  users: readonly { readonly id: number }[],
): Promise<(id: number) => NonNullable<UserEntry['access']>> {
  const ids = users.map(({ id }) => id)
  if (ids.length === 0) return () => 'none'
  const scopes = await db.selectFrom('user_scopes').selectAll().where('user_id', 'in', ids).execute()
  const servers = await db.selectFrom('server_users').select('user_id').distinct().where('user_id', 'in', ids).execute()
  const admins = new Set(scopes.filter(({ scope }) => isAdmin([scope])).map(({ user_id }) => user_id))
  const others = new Set([...scopes, ...servers].map(({ user_id }) => user_id))
  return (id) => (admins.has(id) ? 'admin' : others.has(id) ? 'some' : 'none')
}
