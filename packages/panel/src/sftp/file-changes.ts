import type { FileChange } from '@innkeeper/contract/activity/file-changes'
import type { ActivityLog } from '../activity/activity.ts'
import { insertIfAbsent, runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'

interface Deps {
  readonly db: Database
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/** Records what users changed over SFTP, as their node reports it. */
export function fileChangesService({ db, activity, now }: Deps) {
  async function record(nodeId: number, change: FileChange): Promise<void> {
    const { id, type, server, userId, path: target, address: from, count, atMs } = change
    await runTransaction(db, async (transaction) => {
      if (!(await insertIfAbsent(transaction, 'alert_events', { id, at: now() }))) return
      const servers = transaction.selectFrom('servers').select('id').where('id', '=', server)
      const users = transaction.selectFrom('users').select(['id', 'username']).where('id', '=', userId)
      const user = await users.executeTakeFirst()
      // A node reports nothing about servers of others.
      if (!(await servers.where('node_id', '=', nodeId).executeTakeFirst())) return
      const details = { target, from, at: Math.min(atMs, now()), ...(count > 1 && { count }) }
      await activity.record({ user, action: `server.sftp.${type}`, server, result: 'done', ...details }, transaction)
    })
  }

  return {
    /** Records changes, oldest first. One that arrives again, also at another panel, has no effect. */
    async receive(nodeId: number, changes: readonly FileChange[]): Promise<void> {
      for (const change of changes) await record(nodeId, change)
    },
  }
}
