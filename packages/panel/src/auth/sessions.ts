import { limits } from '@innkeeper/contract/limits'
import { isAdmin } from '@innkeeper/contract/permissions'
import type { Caller } from '../access/caller.ts'
import type { Database } from '../database/schema.ts'
import { scopesOf } from '../users/users.ts'
import { digestOf, newToken } from './secrets.ts'

interface Needs {
  readonly db: Database
  readonly now: () => number
}

/** Using a session extends it, but the row is written at most this often. */
const renewEveryMs = 60_000
const cached = 10_000

export type SessionsService = ReturnType<typeof sessionsService>

/** Live credentials. A session is known by the hash of its token; the token itself is stored nowhere. */
export function sessionsService({ db, now }: Needs) {
  /** At most `limits.sessionCacheMs` old, so that what was revoked elsewhere ends in time. */
  const known = new Map<string, { readonly caller: Caller; readonly readAt: number }>()

  async function read(id: string, use: 'use' | 'look'): Promise<Caller | undefined> {
    const at = now()
    const row = await db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['users.id as userId', 'users.username', 'users.email', 'sessions.used_at'])
      .where('sessions.id', '=', id)
      .where('sessions.expires_at', '>', at)
      .executeTakeFirst()
    if (!row) return undefined
    if (use === 'use' && at - row.used_at > renewEveryMs) await extend(id)
    const scopes = await scopesOf(db, row.userId)
    const { userId, username, email } = row
    return { userId, username, email, sessionId: id, scopes, isAdmin: isAdmin(scopes) }
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

    /** Opens a session; what it answers is the only copy of the token. */
    async open(userId: number): Promise<string> {
      const [token, at] = [newToken(), now()]
      await db.deleteFrom('sessions').where('expires_at', '<=', at).execute()
      await db
        .insertInto('sessions')
        .values({
          id: digestOf(token),
          user_id: userId,
          created_at: at,
          used_at: at,
          expires_at: at + limits.sessionLifeMs,
        })
        .execute()
      return token
    },

    async callerOf(token: string): Promise<Caller | undefined> {
      const [id, at] = [digestOf(token), now()]
      const held = known.get(id)
      if (held && at - held.readAt < limits.sessionCacheMs && at >= held.readAt) return held.caller
      const caller = await read(id, 'use')
      known.delete(id)
      if (caller) known.set(id, { caller, readAt: at })
      if (known.size > cached) known.delete(known.keys().next().value ?? '')
      return caller
    },

    /** Who the session speaks for at this moment, past every cache and without extending it; `undefined` when it ended. */
    current: (id: string): Promise<Caller | undefined> => read(id, 'look'),

    async end(id: string): Promise<void> {
      await db.deleteFrom('sessions').where('id', '=', id).execute()
      known.delete(id)
    },
  }
}
