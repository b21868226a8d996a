import type { AlertSubject } from '@innkeeper/contract/alerts/rules'
import type { Database, Transaction } from '../database/schema.ts'

/** Adds the problem of a new alert. */
export async function addNotification(
  transaction: Transaction,
  id: string,
  { type, subject = '', server, node, at }: AlertSubject & { readonly at: number },
): Promise<void> {
  // The threshold of a single channel.
  if (type === 'diskFull' && subject !== '') return
  const row = { id, type, server_id: server?.id ?? null, node_id: node?.id ?? null, began_at: at, ended_at: null }
  await transaction.insertInto('notifications').values(row).execute()
}

export async function endNotification(transaction: Transaction, id: string, at: number): Promise<void> {
  await transaction.updateTable('notifications').set({ ended_at: at }).where('id', '=', id).execute()
}

/** Deletes old problems that have ended, and those of servers that are gone. */
export async function purgeNotifications(db: Database, before: number): Promise<void> {
  await db.deleteFrom('notifications').where('ended_at', '<', before).execute()
  await db
    .deleteFrom('notifications')
    .where('server_id', 'is not', null)
    .where('server_id', 'not in', ({ selectFrom }) => selectFrom('servers').select('servers.id'))
    .execute()
}
