import type { SessionView } from '@innkeeper/contract/accounts/account'
import type { SignInMethod } from '@innkeeper/contract/accounts/auth'
import { isAdmin } from '@innkeeper/contract/api/permissions'
import { limits } from '@innkeeper/contract/text/limits'
import { mustSetUpSecondFactor, type Principal, type UserPrincipal } from '../access/principal.ts'
import { affectsRows } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { grantsOfAll } from '../database/users.ts'
import { hashToken, newToken } from '../security/secrets.ts'
import { PrincipalCache } from './principal-cache.ts'
import type { SecondFactorPolicy } from './second-factor-policy.ts'

interface Deps {
  readonly db: Database
  readonly now: () => number
  readonly cache?: PrincipalCache
  /** Without it, no user needs a second factor. */
  readonly policy?: SecondFactorPolicy
}

/** The client that opens a session. */
export interface SessionClient {
  readonly address: string
  readonly agent?: string
}

/** Using a session extends it; the row is written at most once in this time. */
const renewEveryMs = 60_000
const agentLength = 255

export type SessionsService = ReturnType<typeof sessionsService>

/** Sessions of users. A session ID is the hash of its token; the token itself is not stored. */
export function sessionsService({ db, now, cache = new PrincipalCache(now), policy }: Deps) {
  async function use(id: string): Promise<UserPrincipal | undefined> {
    const [live] = await readSessions(db, [id], now(), policy)
    if (live && now() - live.usedAt > renewEveryMs) await extend(id)
    return live?.principal
  }

  async function extend(id: string): Promise<void> {
    const at = now()
    await db
      .updateTable('sessions')
      .set({ used_at: at, expires_at: at + limits.sessionLifeMs })
      .where('id', '=', id)
      .where('expires_at', '>', at)
      .execute()
  }

  return {
    extend,

    /** Opens a session and returns the only copy of the token. */
    async open(
      userId: number,
      { address, agent = '' }: SessionClient = { address: '' },
      transaction: Database = db,
      method: SignInMethod = 'password',
    ): Promise<string> {
      const [token, at] = [newToken(), now()]
      await transaction.deleteFrom('sessions').where('expires_at', '<=', at).execute()
      await transaction
        .insertInto('sessions')
        .values({
          id: hashToken(token),
          user_id: userId,
          created_at: at,
          used_at: at,
          expires_at: at + limits.sessionLifeMs,
          address,
          agent: printable(agent).slice(0, agentLength),
          method,
        })
        .execute()
      return token
    },

    async resolve(token: string): Promise<Principal | undefined> {
      const id = hashToken(token)
      return cache.get(id, () => use(id))
    },

    /**
     * Resolves session IDs without cache and without extending the sessions; invalid ones are omitted, and those of users
     * who must set up a second factor first.
     */
    resolveUncached: async (ids: readonly string[]): Promise<UserPrincipal[]> =>
      (await readSessions(db, ids, now(), policy))
        .map(({ principal }) => principal)
        .filter((principal) => !mustSetUpSecondFactor(principal, now())),

    /** All sessions of the user, most recently used first. */
    async list({ userId, sessionId }: UserPrincipal): Promise<SessionView[]> {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('expires_at', '>', now())
        .orderBy('used_at', 'desc')
        .orderBy('id')
        .limit(limits.pageSizeMax)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        createdAt: new Date(row.created_at).toISOString(),
        usedAt: new Date(row.used_at).toISOString(),
        expiresAt: new Date(row.expires_at).toISOString(),
        address: row.address,
        agent: row.agent,
        isCurrent: row.id === sessionId,
      }))
    },

    /** Ends one session of a user; false when there is no such session. Call {@link invalidate} afterwards. */
    async end(userId: number, id: string, transaction: Transaction): Promise<boolean> {
      return await affectsRows(transaction.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId))
    },

    /**
     * Ends all sessions of a user except one, and all pending logins. `transaction` is that of the change; call {@link
     * invalidate} after it.
     */
    async endOthers(userId: number, but: string | undefined, transaction: Transaction): Promise<void> {
      const ending = transaction.deleteFrom('sessions').where('user_id', '=', userId)
      await (but === undefined ? ending : ending.where('id', '!=', but)).execute()
      await transaction.deleteFrom('pending_logins').where('user_id', '=', userId).execute()
    },

    /** Removes the user from the cache. */
    invalidate: (userId: number): void => cache.invalidate(userId),
  }
}

/** The valid ones of these sessions, with principal and time of last use. */
async function readSessions(
  db: Database,
  ids: readonly string[],
  now: number,
  policy: SecondFactorPolicy | undefined,
): Promise<{ readonly principal: UserPrincipal; readonly usedAt: number }[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'users.id as userId', 'users.username', 'users.email', 'users.email_confirmed_at'])
    .select(['sessions.used_at', 'sessions.method'])
    .where('sessions.id', 'in', ids)
    .where('sessions.expires_at', '>', now)
    .execute()
  const getGrants = await grantsOfAll(
    db,
    rows.map(({ userId }) => userId),
  )
  // Commands on the machine of the panel run without a person.
  const users = rows
    .filter(({ method }) => method !== 'commandLine')
    .map(({ userId: id }) => ({ id, scopes: getGrants(id).scopes }))
  const missing = await policy?.findMissing(db, users)
  return rows.map(({ id, userId, username, email, email_confirmed_at, used_at, method }) => {
    const { scopes, roles } = getGrants(userId)
    const isEmailConfirmed = email_confirmed_at !== null
    const secondFactorFrom = method === 'commandLine' ? undefined : missing?.get(userId)
    const user = { userId, username, email, isEmailConfirmed, sessionId: id, scopes, isAdmin: isAdmin(scopes), roles }
    return {
      principal: { ...user, ...(secondFactorFrom !== undefined && { secondFactorFrom }) },
      usedAt: used_at,
    }
  })
}

/** Removes control characters and other non-printable ones. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '')
}
