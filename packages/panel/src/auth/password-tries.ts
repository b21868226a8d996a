import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Database, UserRow } from '../database/schema.ts'
import { userByEmail } from '../users/users.ts'
import type { Passwords } from './passwords.ts'
import { type AttemptFrom, senderOf, type TriesService, type Trying } from './tries.ts'

interface Needs {
  readonly db: Database
  readonly tries: TriesService
  readonly passwords: Passwords
}

export type PasswordTries = ReturnType<typeof passwordTries>

/** Passwords at the door, be it the panel's or that of SFTP: both count the same tries. */
export function passwordTries({ db, tries, passwords }: Needs) {
  /** This account from this sender. A right password forgets its wrong ones. */
  const here = (email: string, from: AttemptFrom): Trying => ({
    what: `login ${email.toLowerCase()} ${senderOf(from)}`,
    most: limits.loginAttempts,
  })

  /**
   * Limits over several accounts or senders; a right password only takes its own attempt back. Many addresses together
   * guess at one account no faster than one limit allows, and its owner still logs in from where they did before.
   */
  function wider(email: string, from: AttemptFrom): readonly Trying[] {
    const { nodeId } = from
    const by = nodeId === undefined ? '' : ` by node ${nodeId}`
    return [
      { what: `login ${senderOf(from)}`, most: limits.loginAttemptsPerAddress },
      { what: `login account ${email.toLowerCase()}${by}`, most: limits.loginAttemptsPerAccount },
      ...(nodeId === undefined ? [] : [{ what: `login${by}`, most: limits.loginAttemptsPerNode }]),
    ]
  }

  const knownAddress = (email: string, from: AttemptFrom) => `known ${email.toLowerCase()} ${senderOf(from)}`

  /** All limits of an attempt. What a node says of addresses makes none of them known. */
  async function limitsOf(email: string, from: AttemptFrom): Promise<readonly Trying[]> {
    const isKnown = from.nodeId === undefined && (await tries.isRemembered(knownAddress(email, from)))
    const [perAddress, ...others] = wider(email, from)
    const first = [here(email, from), ...(perAddress ? [perAddress] : [])]
    return isKnown ? first : [...first, ...others]
  }

  /** Keeps a hash of our own in the place of one from elsewhere, now that the password is at hand. */
  async function renewHash(user: UserRow, password: string): Promise<UserRow> {
    if (!passwords.isOutdated(user.password)) return user
    const renewed = await passwords.hash(password)
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set({ password: renewed })
      .where('id', '=', user.id)
      .where('password', '=', user.password)
      .executeTakeFirst()
    return numUpdatedRows > 0n ? { ...user, password: renewed } : user
  }

  /**
   * Hashes from elsewhere take another time than ours. As long as there are any, everything that is wrong takes the time
   * of one of each kind, so that it does not tell whose account was brought from elsewhere.
   */
  async function spendTheOther(password: string, found: UserRow | undefined): Promise<void> {
    if (found && passwords.isOutdated(found.password)) {
      await passwords.matches(password, undefined)
      return
    }
    const other = await db
      .selectFrom('users')
      .select('password')
      .where('password', 'like', '$2%')
      .limit(1)
      .executeTakeFirst()
    if (other && passwords.isOutdated(other.password)) await passwords.matches(password, other.password)
  }

  return {
    /** Whose password it is. The try counts until `wentWell`. @throws Refusal the same for all that is wrong. */
    async judge(email: string, password: string, from: AttemptFrom): Promise<UserRow> {
      await tries.count(await limitsOf(email, from))
      const found = await userByEmail(db, email)
      const isRight = await passwords.matches(password, found?.password)
      if (found && isRight) return renewHash(found, password)
      await spendTheOther(password, found)
      throw new Refusal('ErrInvalidCredentials')
    },

    /** The login is over: earlier wrong passwords for this account from here are forgotten, and the address is known. */
    async wentWell(email: string, from: AttemptFrom): Promise<void> {
      await tries.forget(here(email, from).what)
      const all = await limitsOf(email, from)
      await tries.takeBack(all.slice(1))
      if (from.nodeId === undefined) await tries.remember(knownAddress(email, from), limits.knownAddressMs)
    },
  }
}
