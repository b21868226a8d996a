import type { Kysely } from 'kysely'
import { createIndex, createTable, longText, moment, text, whole } from '../columns.ts'

/** Links to files that are good once, public keys for SFTP, and what nodes prove themselves with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'download_tickets')
    .addColumn('id', text(64), (column) => column.primaryKey())
    .addColumn('user_id', whole, (column) => column.notNull())
    .addColumn('server_id', text(8), (column) => column.notNull())
    .addColumn('session_id', text(64), (column) => column.notNull())
    .addColumn('client_id', text(36))
    .addColumn('paths', longText(db), (column) => column.notNull())
    .addColumn('expires_at', moment, (column) => column.notNull())
    .addForeignKeyConstraint('download_tickets_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .addForeignKeyConstraint('download_tickets_server_fk', ['server_id'], 'servers', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'download_tickets_user_ix', 'download_tickets', ['user_id'])
  await createIndex(db, 'download_tickets_server_ix', 'download_tickets', ['server_id'])
  await createIndex(db, 'download_tickets_expires_ix', 'download_tickets', ['expires_at'])

  await createTable(db, 'ssh_keys')
    .addColumn('id', text(36), (column) => column.primaryKey())
    .addColumn('user_id', whole, (column) => column.notNull())
    .addColumn('name', text(100), (column) => column.notNull())
    .addColumn('algorithm', text(50), (column) => column.notNull())
    .addColumn('public_key', longText(db), (column) => column.notNull())
    .addColumn('fingerprint', text(64), (column) => column.notNull())
    .addColumn('created_at', moment, (column) => column.notNull())
    .addColumn('used_at', moment)
    .addForeignKeyConstraint('ssh_keys_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await createIndex(db, 'ssh_keys_fingerprint_uq', 'ssh_keys', ['fingerprint'])
  await createIndex(db, 'ssh_keys_user_ix', 'ssh_keys', ['user_id', 'created_at'])

  // No reference to a table of nodes: the node of this machine has no row there.
  await createTable(db, 'node_keys')
    .addColumn('node_id', whole, (column) => column.primaryKey())
    .addColumn('jwk', text(500), (column) => column.notNull())
    .addColumn('created_at', moment, (column) => column.notNull())
    .execute()
}
