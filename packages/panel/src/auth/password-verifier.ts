import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Database, UserRow } from '../database/schema.ts'
import { userByEmail } from '../users/users.ts'
import type { Passwords } from './passwords.ts'
import { type AttemptSource, type RateLimit, type RateLimiter, sourceKey } from './rate-limiter.ts'

interface Deps {
  readonly db: Database
  readonly limiter: RateLimiter
  readonly passwords: Passwords
}

export type PasswordVerifier = ReturnType<typeof passwordVerifier>

/** Passwords at the door, be it the panel's or that of SFTP: both count the same tries. */
export function passwordVerifier({ db, limiter, passwords }: Deps) {
  /** This account from this sender. A right password forgets its wrong ones. */
  const accountLimit = (email: string, from: AttemptSource): RateLimit => ({
    key: `login ${email.toLowerCase()} ${sourceKey(from)}`,
    max: limits.loginAttempts,
  })

  /**
   * Limits over several accounts or senders; a right password only takes its own attempt back. Many addresses together
   * guess at one account no faster than one limit allows, and its owner still logs in from where they did before.
   */
  function sharedLimits(email: string, from: AttemptSource): readonly RateLimit[] {
    const { nodeId } = from
    const by = nodeId === undefined ? '' : ` by node ${nodeId}`
    return [
      { key: `login ${sourceKey(from)}`, max: limits.loginAttemptsPerAddress },
      { key: `login account ${email.toLowerCase()}${by}`, max: limits.loginAttemptsPerAccount },
      ...(nodeId === undefined ? [] : [{ key: `login${by}`, max: limits.loginAttemptsPerNode }]),
    ]
  }

  const knownAddress = (email: string, from: AttemptSource) => `known ${email.toLowerCase()} ${sourceKey(from)}`

  /** All limits of an attempt. What a node says of addresses makes none of them known. */
  async function limitsOf(email: string, from: AttemptSource): Promise<readonly RateLimit[]> {
    const isKnown = from.nodeId === undefined && (await limiter.isRemembered(knownAddress(email, from)))
    const [perAddress, ...others] = sharedLimits(email, from)
    const first = [accountLimit(email, from), ...(perAddress ? [perAddress] : [])]
    return isKnown ? first : [...first, ...others]
  }

  /** Keeps a hash of our own in the place of one from elsewhere, now that the password is at hand. */
  async function rehash(user: UserRow, password: string): Promise<UserRow> {
    if (!passwords.needsRehash(user.password)) return user
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
  async function equalizeTiming(password: string, found: UserRow | undefined): Promise<void> {
    if (found && passwords.needsRehash(found.password)) {
      await passwords.matches(password, undefined)
      return
    }
    const other = await db
      .selectFrom('users')
      .select('password')
      .where('password', 'like', '$2%')
      .limit(1)
      .executeTakeFirst()
    if (other && passwords.needsRehash(other.password)) await passwords.matches(password, other.password)
  }

  return {
    /** Whose password it is. The try counts until `wentWell`. @throws Refusal the same for all that is wrong. */
    async verify(email: string, password: string, from: AttemptSource): Promise<UserRow> {
      await limiter.consume(await limitsOf(email, from))
      const found = await userByEmail(db, email)
      const isRight = await passwords.matches(password, found?.password)
      if (found && isRight) return rehash(found, password)
      await equalizeTiming(password, found)
      throw new Refusal('ErrInvalidCredentials')
    },

    /** The login is over: earlier wrong passwords for this account from here are forgotten, and the address is known. */
    async resetAttempts(email: string, from: AttemptSource): Promise<void> {
      await limiter.reset(accountLimit(email, from).key)
      const all = await limitsOf(email, from)
      await limiter.refund(all.slice(1))
      if (from.nodeId === undefined) await limiter.remember(knownAddress(email, from), limits.knownAddressMs)
    },
  }
}
