import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Database, UserRow } from '../database/schema.ts'
import { userByEmail } from '../users/users.ts'
import type { Passwords } from './passwords.ts'
import { neighbourhoodOf, type TriesService, type Trying } from './tries.ts'

interface Needs {
  readonly db: Database
  readonly tries: TriesService
  readonly passwords: Passwords
}

export type PasswordTries = ReturnType<typeof passwordTries>

/** Passwords at the door, be it the panel's or that of SFTP: both count the same tries. */
export function passwordTries({ db, tries, passwords }: Needs) {
  /** What is tried at a login: this account from here, and any account from here. */
  function tryingOf(email: string, address: string): readonly [here: Trying, anywhere: Trying] {
    const sender = neighbourhoodOf(address)
    return [
      { what: `login ${email.toLowerCase()} ${sender}`, most: limits.loginTries },
      { what: `login ${sender}`, most: limits.loginTriesPerAddress },
    ]
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
    async judge(email: string, password: string, address: string): Promise<UserRow> {
      await tries.count(tryingOf(email, address))
      const found = await userByEmail(db, email)
      const isRight = await passwords.matches(password, found?.password)
      if (found && isRight) return renewHash(found, password)
      await spendTheOther(password, found)
      throw new Refusal('ErrInvalidCredentials')
    },

    /** The login is over: earlier tries at this account from here are forgotten. */
    async wentWell(email: string, address: string): Promise<void> {
      const [here, anywhere] = tryingOf(email, address)
      await tries.forget(here.what)
      await tries.takeBack([anywhere])
    },
  }
}
