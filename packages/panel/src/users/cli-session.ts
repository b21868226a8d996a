import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ActivityLog } from '../activity/activity.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { hashToken } from '../security/secrets.ts'
import { fromCommandLine, requireUserId } from './cli-users.ts'

interface Deps {
  readonly db: Database
  readonly sessions: Pick<SessionsService, 'open' | 'end'>
  readonly activity: Pick<ActivityLog, 'record'>
}

/** A session of an administrator, with which the command line calls the API of a running panel. */
export interface OperatorSession extends AsyncDisposable {
  readonly userId: number
  readonly username: string
  readonly token: string
}

/**
 * Opens a session of an administrator: the one with this name, address or ID, by default the first one. Disposal ends
 * it.
 * @throws Refusal ErrUserNotFound; ErrMissingScope for a user who is not an administrator
 */
export type OpenCliSession = (who: string | undefined, agent: string) => Promise<OperatorSession>

export function cliSessions({ db, sessions, activity }: Deps): OpenCliSession {
  async function findAdministrator(who: string | undefined) {
    const id = who === undefined ? undefined : await requireUserId(db, who)
    const administrators = db
      .selectFrom('users')
      .innerJoin('user_scopes', 'user_scopes.user_id', 'users.id')
      .select(['users.id', 'users.username'])
      .where('user_scopes.scope', '=', 'servers.admin')
      .orderBy('users.id')
    const matching = id === undefined ? administrators : administrators.where('users.id', '=', id)
    const user = await matching.executeTakeFirst()
    if (user) return user
    throw id === undefined ? new Refusal('ErrUserNotFound') : new Refusal('ErrMissingScope', { scope: 'servers.admin' })
  }

  // Access to the database is the proof, so this is not a sign-in: no second factor, and no alert.
  return async (who, agent) => {
    const user = await findAdministrator(who)
    const token = await runTransaction(db, async (transaction) => {
      await activity.record({ user, action: 'session.open', from: fromCommandLine, result: 'done' }, transaction)
      return await sessions.open(user.id, { address: '', agent }, transaction, 'commandLine')
    })
    return {
      userId: user.id,
      username: user.username,
      token,
      async [Symbol.asyncDispose]() {
        await runTransaction(db, (transaction) => sessions.end(user.id, hashToken(token), transaction))
      },
    }
  }
}
