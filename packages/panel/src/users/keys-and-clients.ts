import { countRows } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'

/** Credentials of an account to remove, besides its sessions. */
export interface EndedAccess {
  readonly sshKeys?: boolean | undefined
  readonly clients?: boolean | undefined
}

/** Maximum number of names in a mail; the account page has the whole list. */
const namesInMail = 20

/**
 * Removes the SSH keys and OAuth2 clients of an account, and mails its owner. Invalidate the account's cached
 * credentials (`sessions.invalidate`) after the transaction.
 */
export async function removeKeysAndClients(
  transaction: Transaction,
  mail: Pick<MailService, 'queue'>,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { sshKeys = true, clients = true }: EndedAccess = {},
): Promise<void> {
  const removed = {
    keys: sshKeys ? await removeAll(transaction, 'ssh_keys', id) : [],
    clients: clients ? await removeAll(transaction, 'oauth2_clients', id) : [],
  }
  if (removed.keys.length + removed.clients.length === 0) return
  await mail.queue(transaction, 'accessRemoved', { to: email, userId: id }, getNames(removed))
}

/** The number of SSH keys, OAuth2 clients or passkeys of an account. */
export async function countCredentials(
  db: Database,
  table: 'ssh_keys' | 'oauth2_clients' | 'passkeys',
  userId: number,
): Promise<number> {
  const count = await countRows(db.selectFrom(table).where('user_id', '=', userId))
  return count
}

async function removeAll(transaction: Transaction, table: 'ssh_keys' | 'oauth2_clients', userId: number) {
  const rows = await transaction.selectFrom(table).select(['id', 'name']).where('user_id', '=', userId).execute()
  await transaction.deleteFrom(table).where('user_id', '=', userId).execute()
  return rows.map(({ id, name }) => name || id)
}

function getNames({ keys, clients }: { readonly keys: readonly string[]; readonly clients: readonly string[] }) {
  const joined = (names: readonly string[]) =>
    names.slice(0, namesInMail).join(', ') + (names.length > namesInMail ? ' …' : '')
  return {
    ...(keys.length > 0 ? { keys: joined(keys) } : {}),
    ...(clients.length > 0 ? { clients: joined(clients) } : {}),
  }
}
