import { randomInt } from 'node:crypto'
import type { OrderInput } from '@innkeeper/contract/orders/orders'
import { limits } from '@innkeeper/contract/text/limits'
import type { ActivityLog } from '../activity/activity.ts'
import { releaseEmail } from '../auth/email-confirmation.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { lock, runTransaction } from '../database/rows.ts'
import type { Database, OrderRow, Transaction } from '../database/schema.ts'
import { addUser, lowerCaseKey, permissionsLock, userByEmail, userLabel } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { addResetLink } from '../password-reset/password-reset.ts'
import { newToken } from '../security/secrets.ts'

/** How long the new owner can set a password with the link in the mail. Later the owner requests another one. */
const passwordLinkLifetimeMs = 7 * 24 * 60 * 60 * 1000

export interface OwnerDeps {
  readonly db: Database
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly mail: Pick<MailService, 'queue'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/** Saves the owner with the order, in the same transaction. */
type SaveOwner = (transaction: Transaction, owner: { owner_id: number; is_owner_created: number }) => Promise<void>

/**
 * Finds or creates the owner of an order. The address of a created one counts as unconfirmed, because a shop may not have
 * checked it: the link in the mail confirms it. An address that an account never confirmed is not proof of anything, so
 * that account loses it, unless this shop has created it.
 */
export function orderOwners({ db, passwords, sessions, mail, activity, now }: OwnerDeps) {
  return async function ensureOwner(
    { shop, owner_id: before, is_owner_created }: OrderRow,
    { email, username }: OrderInput['owner'],
    save: SaveOwner,
  ): Promise<void> {
    // Before the transaction, because it takes long. Nobody knows this password.
    const password = await passwords.hash(newToken())
    const released = await runTransaction(db, async (transaction) => {
      await lock(transaction, permissionsLock)
      const known = await userByEmail(transaction, email)
      const isKnown =
        known !== undefined && (known.email_confirmed_at !== null || (await hasCreated(transaction, shop, known.id)))
      if (isKnown) {
        await save(transaction, { owner_id: known.id, is_owner_created: known.id === before ? is_owner_created : 0 })
        return undefined
      }
      if (known) await releaseEmail(transaction, known.id)
      const name = await freeUsername(transaction, username ?? email.slice(0, email.indexOf('@')))
      const user = { username: name, email, password, isEmailConfirmed: false, scopes: [] }
      const [id, at, token] = [await addUser(transaction, user, now()), now(), newToken()]
      await save(transaction, { owner_id: id, is_owner_created: 1 })
      await activity.record(
        { action: 'user.create', target: userLabel({ id, username: name }), from: 'panel', result: 'done' },
        transaction,
      )
      const expiresAt = at + passwordLinkLifetimeMs
      await mail.queue(transaction, 'accountCreation', { to: email }, { username: name })
      const until = new Date(expiresAt).toISOString()
      if (await mail.queue(transaction, 'passwordReset', { to: email }, { token, until }))
        await addResetLink(transaction, { token, userId: id, at, expiresAt })
      return known?.id
    })
    if (released !== undefined) sessions.invalidate(released)
  }
}

/** Whether an order of the shop has created the user. */
export async function hasCreated(on: Database, shop: string, userId: number): Promise<boolean> {
  const order = on.selectFrom('orders').select('id').where('shop', '=', shop).where('owner_id', '=', userId)
  return (await order.where('is_owner_created', '=', 1).executeTakeFirst()) !== undefined
}

/** The name, with a number when it is taken. */
async function freeUsername(transaction: Transaction, wanted: string): Promise<string> {
  const allowed = wanted.replace(/[^0-9A-Za-z_-]/g, '').slice(0, limits.usernameMax - 10)
  const base = allowed.length < 3 ? `user-${allowed}` : allowed
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? base : `${base}-${randomInt(10 ** Math.min(attempt, 8))}`
    const taken = transaction.selectFrom('users').select('id').where('username_key', '=', lowerCaseKey(name))
    if (!(await taken.executeTakeFirst())) return name
  }
}
