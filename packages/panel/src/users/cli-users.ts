import type { AuditAction } from '@innkeeper/contract/api/audit-actions'
import { isAdmin, type PanelScope } from '@innkeeper/contract/api/permissions'
import { validate } from '@innkeeper/contract/definitions/validate'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { Email, Password, Username } from '@innkeeper/contract/text/names'
import { z } from 'zod'
import type { ActivityLog } from '../activity/activity.ts'
import { markEmailConfirmed } from '../auth/email-confirmation.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { removeSecondFactors } from '../auth/two-factor.ts'
import { lock, runTransaction } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import {
  addUser,
  changeUser,
  lockUser,
  permissionsLock,
  readScopes,
  requireUserById,
  userByEmail,
  userIdsByName,
  userLabel,
} from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { requireOtherAdministrator } from './grantor.ts'
import { removeKeysAndClients } from './keys-and-clients.ts'

interface Deps {
  readonly db: Database
  readonly sessions: Pick<SessionsService, 'endOthers'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly mail: Pick<MailService, 'queue'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/** A user in the output of the command line. */
export interface UserListing {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly isAdmin: boolean
  readonly hasTwoFactor: boolean
  /** ISO 8601. */
  readonly createdAt: string
}

/** Changes of a user on the command line. */
export interface UserPatch {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly isAdmin?: boolean | undefined
  /** Two-factor can be reset for a user who lost phone and recovery codes; it cannot be enabled. */
  readonly hasTwoFactor?: false | undefined
}

const NewUser = z.object({ username: Username, email: Email, password: Password })
const Change = z.object({ username: z.optional(Username), email: z.optional(Email) })
const NewPassword = z.object({ password: Password })

/** The `from` of audit log entries of the command line. */
export const fromCommandLine = 'command line'

export type CliUsersService = ReturnType<typeof cliUsersService>

/**
 * User administration on the command line. It requires no permission, because it requires access to the database. The
 * same rules as in the panel apply, and users are mailed about changes.
 */
export function cliUsersService({ db, sessions, passwords, mail, activity, now }: Deps) {
  return {
    /** All users, by name. */
    list: (): Promise<readonly UserListing[]> => listUsers(db),

    /** Validates name and address before the password prompt. */
    check(patch: UserPatch): void {
      validate(Change, patch)
    },

    async add(user: z.input<typeof NewUser>, { admin = false } = {}): Promise<number> {
      const { username, email, password } = validate(NewUser, user)
      const hash = await passwords.hash(password)
      return runTransaction(db, async (transaction) => {
        await lock(transaction, permissionsLock)
        const scopes: readonly PanelScope[] = admin ? ['servers.admin'] : []
        const id = await addUser(
          transaction,
          { username, email, password: hash, isEmailConfirmed: true, scopes },
          now(),
        )
        await markEmailConfirmed(transaction, { id, email }, now())
        await mail.queue(transaction, 'accountCreation', { to: email }, { username })
        await record(activity, transaction, 'user.create', { id, username })
        return id
      })
    },

    async edit(who: string, change: UserPatch): Promise<void> {
      const { username, email } = validate(Change, change)
      await changeUserLocked(db, who, async (transaction, user) => {
        const { id } = user
        await changeUser(transaction, id, { username, email })
        if (email !== undefined) await markEmailConfirmed(transaction, { id, email }, now())
        if (email !== undefined && email !== user.email)
          await mail.queue(transaction, 'emailChanged', { to: user.email, userId: id }, { newEmail: email })
        if (change.isAdmin !== undefined) {
          await setAdmin(transaction, id, change.isAdmin)
          await record(activity, transaction, 'user.permissions', user)
        }
        if (change.hasTwoFactor === false) {
          await removeSecondFactors(transaction, id)
          await removeKeysAndClients(transaction, mail, { id, email: email ?? user.email })
          await sessions.endOthers(id, undefined, transaction)
          await mail.queue(transaction, 'otpDisabled', { to: email ?? user.email }, {})
          await record(activity, transaction, 'user.otp.disable', user)
        }
        if (username !== undefined || email !== undefined) await record(activity, transaction, 'user.edit', user)
      })
    },

    /**
     * Sets a password and ends all sessions of the user; also removes their SSH keys and OAuth2 clients, unless these
     * are kept.
     */
    async setPassword(who: string, password: string, { keepAccess = false } = {}): Promise<void> {
      const hash = await passwords.hash(validate(NewPassword, { password }).password)
      await changeUserLocked(db, who, async (transaction, user) => {
        const { id, email } = user
        await changeUser(transaction, id, { password: hash })
        await sessions.endOthers(id, undefined, transaction)
        if (!keepAccess) await removeKeysAndClients(transaction, mail, user)
        await mail.queue(transaction, 'passwordChanged', { to: email }, {})
        await record(activity, transaction, 'user.edit', user)
      })
    },

    /** Finds a user by name, address or ID. */
    async get(who: string): Promise<{ readonly username: string; readonly email: string }> {
      const { username, email } = await requireUserById(db, await requireUserId(db, who))
      return { username, email }
    },

    /** Deletes a user with sessions, permissions and clients; not the last administrator. */
    async remove(who: string): Promise<void> {
      await changeUserLocked(db, who, async (transaction, user) => {
        const { id } = user
        if (isAdmin(await readScopes(transaction, id))) await requireOtherAdministrator(transaction, id)
        await transaction.deleteFrom('users').where('id', '=', id).execute()
        await record(activity, transaction, 'user.delete', user)
      })
    },
  }
}

/** The user with a name, an address, or an ID after `#`. */
export async function requireUserId(db: Database, who: string): Promise<number> {
  const number = /^#(\d{1,9})$/.exec(who)?.[1]
  if (number !== undefined) return Number(number)
  const id = who.includes('@') ? (await userByEmail(db, who))?.id : (await userIdsByName(db, [who])).get(who)
  if (id === undefined) throw new Refusal('ErrUserNotFound')
  return id
}

async function setAdmin(transaction: Transaction, id: number, admin: boolean): Promise<void> {
  if (isAdmin(await readScopes(transaction, id)) === admin) return
  const row = { user_id: id, scope: 'servers.admin' satisfies PanelScope }
  if (admin) {
    await transaction.insertInto('user_scopes').values(row).execute()
    return
  }
  await requireOtherAdministrator(transaction, id)
  await transaction.deleteFrom('user_scopes').where('user_id', '=', id).where('scope', '=', row.scope).execute()
}

async function listUsers(db: Database): Promise<readonly UserListing[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('user_scopes', (join) =>
      join.onRef('user_scopes.user_id', '=', 'users.id').on('user_scopes.scope', '=', 'servers.admin'),
    )
    .leftJoin('two_factor', (join) => join.onRef('two_factor.user_id', '=', 'users.id').on('two_factor.is_on', '=', 1))
    .select(['users.id', 'users.username', 'users.email', 'users.created_at'])
    .select(['user_scopes.scope', 'two_factor.is_on'])
    .select(({ selectFrom }) =>
      selectFrom('passkeys')
        .select(({ fn }) => fn.max('passkeys.id').as('id'))
        .whereRef('user_id', '=', 'users.id')
        .as('passkey'),
    )
    .orderBy('users.username_key')
    .execute()
  return rows.map(({ id, username, email, created_at, scope, is_on, passkey }) => ({
    id,
    username,
    email,
    isAdmin: scope !== null,
    hasTwoFactor: is_on !== null || passkey !== null,
    createdAt: new Date(created_at).toISOString(),
  }))
}

/** Changes a user while holding a lock. */
async function changeUserLocked(
  db: Database,
  who: string,
  work: (transaction: Transaction, user: UserRow) => Promise<void>,
): Promise<void> {
  const id = await requireUserId(db, who)
  await runTransaction(db, async (transaction) => {
    await lock(transaction, permissionsLock)
    const user = await lockUser(transaction, id)
    if (!user) throw new Refusal('ErrUserNotFound')
    await work(transaction, user)
  })
}

async function record(
  activity: Deps['activity'],
  transaction: Transaction,
  action: AuditAction,
  user: Pick<UserRow, 'id' | 'username'>,
): Promise<void> {
  await activity.record({ action, target: userLabel(user), from: fromCommandLine, result: 'done' }, transaction)
}
