import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import { hasScope } from '@innkeeper/contract/api/permissions'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { Language } from '@innkeeper/contract/text/languages'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { UserPrincipal } from '../access/principal.ts'
import { markEmailConfirmed, redeemInvite, releaseEmail } from '../auth/email-confirmation.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { SessionClient, SessionsService } from '../auth/sessions.ts'
import type { SignInService } from '../auth/sign-in.ts'
import { isDatabaseError } from '../database/errors.ts'
import { lock } from '../database/rows.ts'
import type { Database, InviteRow, Transaction } from '../database/schema.ts'
import { addUser, lockUser, lowerCaseKey, permissionsLock, readScopes, userByEmail } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { maxLoginAttempts, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken } from '../security/secrets.ts'
import { serversOfInvites } from './invites.ts'

interface Deps {
  readonly db: Database
  readonly mail: Pick<MailService, 'queue'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly signIns: Pick<SignInService, 'openSession'>
  readonly now: () => number
}

/** The query of an invite link. */
export interface InviteLink {
  readonly token: string
  readonly email: string
}

/** The new account of an invited user; the language is that of the browser. */
export interface InvitedAccount {
  readonly username: string
  readonly password: string
  readonly language?: Language | undefined
}

/** What an invited user sees before accepting. */
export interface InviteDetails {
  readonly email: string
  readonly invitedBy?: string
  readonly server?: string
  readonly expiresAt: string
  readonly hasAccount: boolean
}

export type InviteAcceptance = ReturnType<typeof inviteAcceptance>

/** Invite links as the invited user sees them: opened and accepted, with a rate limit. */
export function inviteAcceptance({ db, mail, passwords, limiter, sessions, signIns, now }: Deps) {
  /** Rate limit for anonymous requests. One with a valid link is refunded, unless it tried a name that is taken. */
  async function rateLimited<T>(address: string, work: () => Promise<T>): Promise<T> {
    await limiter.consume([getLimit(address)])
    let isGood = true
    try {
      return await work()
    } catch (error) {
      const isCounted = (code: RefusalCode) => code === 'ErrInviteLinkInvalid' || code === 'ErrDuplicateUsername'
      isGood = !(error instanceof Refusal && isCounted(error.code))
      throw error
    } finally {
      if (isGood) await limiter.refund([getLimit(address)])
    }
  }

  return {
    /**
     * Returns the contents of an invite.
     * @throws ErrInviteLinkInvalid
     */
    check: (link: InviteLink, address: string): Promise<InviteDetails> =>
      rateLimited(address, async () => {
        const invite = await findInvite(db, link, now())
        if (!invite) throw new Refusal('ErrInviteLinkInvalid')
        return await readDetails(db, invite)
      }),

    /**
     * Creates the account with the permissions that the inviting users still have, deletes the invite, and signs the user
     * in. An account that never confirmed the address loses it.
     */
    accept: (
      link: InviteLink,
      account: InvitedAccount,
      from: SessionClient,
      audit: AuditContext,
    ): Promise<LoginResult> =>
      rateLimited(from.address, async () => {
        // Anonymous requests must not cause password hashing.
        if (!(await findInvite(db, link, now()))) throw new Refusal('ErrInviteLinkInvalid')
        const hashed = { ...account, password: await passwords.hash(account.password) }
        try {
          let releasedFrom: number | undefined
          const loggedIn = await signIns.openSession({ by: 'invitation', from, audit }, async (transaction) => {
            const created = await createAccount({ mail, now }, transaction, link, hashed)
            releasedFrom = created.releasedFrom
            return { id: created.id, username: account.username }
          })
          if (releasedFrom !== undefined) sessions.invalidate(releasedFrom)
          return loggedIn
        } catch (error) {
          if (error instanceof Refusal || isDatabaseError(error)) throw error
          throw new Refusal('ErrSavingInviteduser', {}, { cause: error })
        }
      }),

    /** Grants the invite to the current account, if it has the invited address. */
    acceptAs: (principal: UserPrincipal, token: string, address: string, audit: AuditContext): Promise<void> =>
      rateLimited(address, async () => {
        await auditedTransaction(audit, db, async (transaction) => {
          await lock(transaction, permissionsLock)
          const user = await lockUser(transaction, principal.userId)
          const invite = user && (await findInvite(transaction, { token, email: user.email }, now()))
          if (!user || !invite) throw new Refusal('ErrInviteLinkInvalid')
          if (invite.is_link !== 1) await markEmailConfirmed(transaction, user, now())
          else if (!(await redeemInvite(transaction, invite, user.id, now()))) throw new Refusal('ErrInviteLinkInvalid')
        })
        sessions.invalidate(principal.userId)
      }),
  }
}

/** Whether the user who gave the link may create accounts, whose addresses count as confirmed too. */
async function isVouchedFor(transaction: Transaction, { invited_by: inviter }: InviteRow): Promise<boolean> {
  return inviter !== null && hasScope(await readScopes(transaction, inviter), 'users.edit')
}

const getLimit = (address: string) => ({ key: `invite ${clientSubnet(address)}`, max: maxLoginAttempts })

/** The valid invite of a link. */
function findInvite(db: Database, { token, email }: InviteLink, now: number): Promise<InviteRow | undefined> {
  return db
    .selectFrom('invites')
    .selectAll()
    .where('token', '=', hashToken(token))
    .where('email_key', '=', lowerCaseKey(email))
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

async function readDetails(db: Database, invite: InviteRow): Promise<InviteDetails> {
  const inviter = await db
    .selectFrom('users')
    .select('username')
    .where('id', '=', invite.invited_by ?? -1)
    .executeTakeFirst()
  const [server] = (await serversOfInvites(db, [invite.id])).get(invite.id) ?? []
  return {
    email: invite.email,
    ...(inviter ? { invitedBy: inviter.username } : {}),
    ...(server ? { server: server.name } : {}),
    expiresAt: new Date(invite.expires_at).toISOString(),
    hasAccount: (await userByEmail(db, invite.email)) !== undefined,
  }
}

/** Creates the account in the transaction that redeems the invite. */
async function createAccount(
  { mail, now }: Pick<Deps, 'mail' | 'now'>,
  transaction: Transaction,
  link: InviteLink,
  { username, password, language }: InvitedAccount,
): Promise<{ id: number; releasedFrom: number | undefined }> {
  await lock(transaction, permissionsLock)
  const invite = await findInvite(transaction, link, now())
  if (!invite) throw new Refusal('ErrInviteLinkInvalid')
  const { email } = invite
  const owner = await userByEmail(transaction, email)
  const isProven = invite.is_link !== 1
  // Only who received the link by mail can take the address from an account that never confirmed it.
  if (owner && (owner.email_confirmed_at !== null || !isProven))
    throw new Refusal('ErrDuplicateEmail', { field: 'email' })
  if (owner) await releaseEmail(transaction, owner.id)
  const isEmailConfirmed = isProven || (await isVouchedFor(transaction, invite))
  const id = await addUser(transaction, { username, email, password, isEmailConfirmed, scopes: [], language }, now())
  if (!(await redeemInvite(transaction, invite, id, now()))) throw new Refusal('ErrInviteLinkInvalid')
  await mail.queue(transaction, 'accountCreation', { to: email }, { username })
  return { id, releasedFrom: owner?.id }
}
