import type { UserView } from '@innkeeper/contract/accounts/users'
import { isAdmin } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal, PrincipalWithScope, UserPrincipal } from '../access/principal.ts'
import { type EmailConfirmation, markEmailConfirmed } from '../auth/email-confirmation.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { removeSecondFactors } from '../auth/two-factor.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import {
  addUser,
  changeUser,
  getIdentity,
  lockUser,
  lowerCaseKey,
  readScopes,
  requireUserById,
  userLabel,
} from '../database/users.ts'
import { requireCurrent } from '../database/versions.ts'
import type { MailService } from '../mail/mail.ts'
import {
  type Grantor,
  loadGrantor,
  requireMayEdit,
  requireOtherAdministrator,
  requireScopes,
  requireSuperset,
} from './grantor.ts'
import { removeKeysAndClients } from './keys-and-clients.ts'

interface Deps {
  readonly db: Database
  readonly sessions: SessionsService
  readonly passwords: Pick<Passwords, 'hash'>
  readonly mail: Pick<MailService, 'queue'>
  readonly emailConfirmation: Pick<EmailConfirmation, 'send'>
  readonly now: () => number
  readonly reauthentication: Pick<Reauthentication, 'requireForOwnAccount'>
}

export interface NewUser {
  readonly username: string
  readonly email: string
  readonly password: string
}

/** Changes of a user; an empty password keeps the current one. */
export interface UserChange {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly password?: string | undefined
}

export type UserAdminService = ReturnType<typeof userAdminService>

/** Changes of users by administrators. */
export function userAdminService(deps: Deps) {
  const { db, sessions, passwords, mail, emailConfirmation, now, reauthentication } = deps

  return {
    /** Creates a user without permissions. */
    async create(
      principal: PrincipalWithScope<'users.edit'>,
      newUser: NewUser,
      audit: AuditContext,
    ): Promise<UserView> {
      const { username, email } = newUser
      const password = await passwords.hash(newUser.password)
      const id = await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadEditor(transaction, principal)
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
      change: UserChange,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      const hash = change.password ? await passwords.hash(change.password) : undefined
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadEditor(transaction, principal)
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        await requireMayEdit(transaction, grantor, id)
        requireCurrent(expectedVersion, getIdentity(user))

        const username = change.username === user.username ? undefined : change.username
        const email = change.email === user.email ? undefined : change.email
        // Changes of one's own account require the current password.
        const isCredential = email !== undefined || hash !== undefined
        if (isCredential && id === principal.userId) throw new Refusal('ErrOwnAccount')
        // The name counts as well: servers are created for users by name.
        const isOther = id !== principal.userId && (isCredential || username !== undefined)
        if (isOther) await requireSuperset(transaction, grantor, id)
        if (username !== undefined) await reauthentication.requireForOwnAccount(transaction, principal, id)
        await applyChange(deps, transaction, grantor, user, { username, email, hash })
      })
      sessions.invalidate(id)
    },

    /** Deletes a user with sessions, permissions and clients; not the last administrator. */
    async remove(principal: PrincipalWithScope<'users.edit'>, id: number, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadEditor(transaction, principal)
        audit.setSubject({ target: userLabel(await requireUserById(transaction, id)) })
        await reauthentication.requireForOwnAccount(transaction, principal, id)
        await requireMayEdit(transaction, grantor, id)
        if (isAdmin(await readScopes(transaction, id))) await requireOtherAdministrator(transaction, id)
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
        const grantor = await loadEditor(transaction, principal)
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        if (id === principal.userId) throw new Refusal('ErrOwnAccount')
        await requireSuperset(transaction, grantor, id)
        await removeSecondFactors(transaction, id)
        await removeKeysAndClients(transaction, mail, user)
        await sessions.endOthers(id, undefined, transaction)
        await mail.queue(transaction, 'otpDisabled', { to: user.email, by: principal.userId }, {})
      })
      sessions.invalidate(id)
    },
  }
}

/** The principal with the current scopes, who must be able to edit users. */
async function loadEditor(transaction: Transaction, principal: Principal): Promise<Grantor> {
  const grantor = await loadGrantor(transaction, principal)
  requireScopes(grantor, ['users.edit'])
  return grantor
}

/** Changes a user, and mails about it. `user` is the row before; the change holds only what differs. */
async function applyChange(
  { sessions, mail, emailConfirmation, now }: Deps,
  transaction: Transaction,
  grantor: Grantor,
  user: UserRow,
  { username, email, hash }: Pick<UserChange, 'username' | 'email'> & { readonly hash: string | undefined },
): Promise<void> {
  const { id } = user
  const { userId: by } = grantor
  const isOtherAddress = email !== undefined && lowerCaseKey(email) !== user.email_key
  const emailConfirmedAt = isOtherAddress ? null : undefined
  await changeUser(transaction, id, { username, email, emailConfirmedAt, password: hash })
  if (isOtherAddress) {
    if (isAdmin(grantor.scopes)) await markEmailConfirmed(transaction, { id, email }, now())
    else await emailConfirmation.send(transaction, { id, username: username ?? user.username, email }, by)
  }
  if (email !== undefined)
    await mail.queue(transaction, 'emailChanged', { to: user.email, userId: id, by }, { newEmail: email })
  if (hash !== undefined) {
    await sessions.endOthers(id, undefined, transaction)
    await removeKeysAndClients(transaction, mail, user)
    await mail.queue(transaction, 'passwordChanged', { to: user.email, userId: id, by }, {})
  }
}
