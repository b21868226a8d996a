import { affectsRows, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import type { DeleteServers } from '../nodes/node-admin.ts'

interface Deps {
  readonly mail: Pick<MailService, 'queue'>
  /** The user who deletes; absent for the command line. */
  readonly by?: number | undefined
}

/** The email addresses of the users of a server. */
export async function emailsOfServer(db: Database, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('server_users')
    .innerJoin('users', 'users.id', 'server_users.user_id')
    .select('users.email')
    .where('server_users.server_id', '=', id)
    .orderBy('users.id')
    .execute()
  return rows.map(({ email }) => email)
}

/** Makes `unfinishedServers` delete the server on its node when the node answers. */
export async function deleteOnNodeLater(
  transaction: Transaction,
  { id, nodeId }: { readonly id: string; readonly nodeId: number },
  now: number,
): Promise<void> {
  const unfinished = { server_id: id, node_id: nodeId, created_at: now }
  await upsert(transaction, 'unfinished_servers', ['server_id'], unfinished)
}

/** Deletes servers from the database and mails their users. Sends no request to their nodes. */
export const deleteServers =
  ({ mail, by }: Deps): DeleteServers =>
  async (transaction, servers) => {
    for (const { id, name } of servers) {
      const emails = await emailsOfServer(transaction, id)
      // A concurrent request has deleted it and sent the mails.
      if (!(await affectsRows(transaction.deleteFrom('servers').where('id', '=', id)))) continue
      for (const to of emails) await mail.queue(transaction, 'deletedServer', { to, by }, { server: name })
    }
  }
