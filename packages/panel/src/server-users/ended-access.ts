import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import type { ActivityLog } from '../activity/activity.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { lock, runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { permissionsLock } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { removeServerUser } from './server-users.ts'

/** Access that has ended gives no permissions; with its removal, clients of the server and alert channels end too. */
const removalIntervalMs = 1_000

interface Deps {
  readonly db: Database
  readonly activity: Pick<ActivityLog, 'record'>
  readonly mail: Pick<MailService, 'queue'>
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly log: Logger
  readonly now: () => number
}

/** Removes access to servers that has ended by itself. Several panels may do this at the same time. */
export function endedAccess(deps: Deps): PeriodicJob {
  return new PeriodicJob({
    everyMs: removalIntervalMs,
    run: () => removeEnded(deps),
    onError: (err) => deps.log.warn({ err }, 'ended access to servers could not be removed; retrying'),
  })
}

async function removeEnded({ db, activity, mail, sessions, now }: Deps): Promise<void> {
  const at = now()
  const ended = await db
    .selectFrom('server_users')
    .innerJoin('users', 'users.id', 'server_users.user_id')
    .innerJoin('servers', 'servers.id', 'server_users.server_id')
    .select(['server_users.server_id', 'server_users.user_id', 'users.email', 'servers.name'])
    .where('server_users.expires_at', '<=', at)
    .execute()
  for (const { server_id: server, user_id: userId, email, name } of ended) {
    await runTransaction(db, async (transaction) => {
      await lock(transaction, permissionsLock)
      const row = await transaction
        .selectFrom('server_users')
        .select('expires_at')
        .where('server_id', '=', server)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      // Another panel has removed it, or it was prolonged.
      if (!row || row.expires_at === null || row.expires_at > at) return
      await removeServerUser(transaction, server, userId)
      await mail.queue(transaction, 'removedFromServer', { to: email, userId }, { server: name })
      const about = { server, target: email, from: 'panel', result: 'done' } as const
      await activity.record({ action: 'server.user.expire', ...about }, transaction)
    })
    sessions.invalidate(userId)
  }
}
