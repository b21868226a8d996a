import { Refusal } from '@innkeeper/contract/errors/refusals'
import { affectsRows } from '../database/rows.ts'
import type { Database, UserRow } from '../database/schema.ts'
import { userByEmail } from '../database/users.ts'
import {
  type AttemptSource,
  maxLoginAttempts,
  maxLoginAttemptsPerAddress,
  maxLoginAttemptsPerNode,
  type RateLimit,
  type RateLimiter,
  sourceKey,
} from '../security/rate-limiter.ts'
import type { Passwords } from './passwords.ts'

/** Wrong passwords per window for one account, from all unknown addresses together. */
export const maxLoginAttemptsPerAccount = 50
/** How long an address stays known after a login. */
const knownAddressMs = 30 * 24 * 60 * 60 * 1000

interface Deps {
  readonly db: Database
  readonly limiter: RateLimiter
  readonly passwords: Passwords
}

export type PasswordVerifier = ReturnType<typeof passwordVerifier>

/** Verifies passwords of web and SFTP logins with common rate limits. */
export function passwordVerifier({ db, limiter, passwords }: Deps) {
  /** Limit per account and client address; reset by the right password. */
  const accountLimit = (email: string, from: AttemptSource): RateLimit => ({
    key: `login ${email.toLowerCase()} ${sourceKey(from)}`,
    max: maxLoginAttempts,
  })

  /**
   * Limits shared by several accounts or addresses; the right password only refunds its own attempt. They also slow
   * down guesses for one account from many addresses, while the owner can still log in from known addresses.
   */
  function sharedLimits(email: string, from: AttemptSource): readonly RateLimit[] {
    const { nodeId } = from
    const by = nodeId === undefined ? '' : ` by node ${nodeId}`
    return [
      { key: `login ${sourceKey(from)}`, max: maxLoginAttemptsPerAddress },
      { key: `login account ${email.toLowerCase()}${by}`, max: maxLoginAttemptsPerAccount },
      ...(nodeId === undefined ? [] : [{ key: `login${by}`, max: maxLoginAttemptsPerNode }]),
    ]
  }

  const knownAddress = (email: string, from: AttemptSource) => `known ${email.toLowerCase()} ${sourceKey(from)}`

  /** All limits of an attempt. Addresses reported by a node are never known addresses. */
  async function readLimits(email: string, from: AttemptSource): Promise<readonly RateLimit[]> {
    const isKnown = from.nodeId === undefined && (await limiter.isRemembered(knownAddress(email, from)))
    const [perAddress, ...others] = sharedLimits(email, from)
    const first = [accountLimit(email, from), ...(perAddress ? [perAddress] : [])]
    return isKnown ? first : [...first, ...others]
  }

  /** Replaces an imported hash by our own, while the password is available. */
  async function rehash(user: UserRow, password: string): Promise<UserRow> {
    if (!passwords.needsRehash(user.password)) return user
    const renewed = await passwords.hash(password)
    const update = db
      .updateTable('users')
      .set({ password: renewed })
      .where('id', '=', user.id)
      .where('password', '=', user.password)
    return (await affectsRows(update)) ? { ...user, password: renewed } : user
  }

  /**
   * bcrypt hashes (imported accounts) verify slower than argon2id. While any exist, a failed login verifies one of
   * each, so that timing does not reveal imported accounts.
   */
  async function equalizeTiming(password: string, found: UserRow | undefined): Promise<void> {
    if (found && passwords.needsRehash(found.password)) {
      await passwords.matches(password, undefined)
      return
    }
    const otherUser = await db
      .selectFrom('users')
      .select('password')
      .where('password', 'like', '$2%')
      .limit(1)
      .executeTakeFirst()
    if (otherUser && passwords.needsRehash(otherUser.password)) await passwords.matches(password, otherUser.password)
  }

  return {
    /**
     * Verifies a password. The attempt counts until `resetAttempts`.
     * @throws Refusal the same for every reason
     */
    async verify(email: string, password: string, from: AttemptSource): Promise<UserRow> {
      await limiter.consume(await readLimits(email, from))
      const found = await userByEmail(db, email)
      const isRight = await passwords.matches(password, found?.password)
      if (found && isRight) return rehash(found, password)
      await equalizeTiming(password, found)
      throw new Refusal('ErrInvalidCredentials')
    },

    /** Call after a complete login: resets the attempts for this account and address, and makes the address known. */
    async resetAttempts(email: string, from: AttemptSource): Promise<void> {
      await limiter.reset(accountLimit(email, from).key)
      const all = await readLimits(email, from)
      await limiter.refund(all.slice(1))
      if (from.nodeId === undefined) await limiter.remember(knownAddress(email, from), knownAddressMs)
    },
  }
}
