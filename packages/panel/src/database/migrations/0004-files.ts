import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Links to files that are good once, public keys for SFTP, and what nodes prove themselves with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'download_tickets')
    .addColumn('id', varchar(64), (column) => column.primaryKey())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('server_id', varchar(8), (column) => column.notNull())
    .addColumn('session_id', varchar(64), (column) => column.notNull())
    .addColumn('client_id', varchar(36))
    .addColumn('paths', longText(db), (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .addForeignKeyConstraint('download_tickets_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .addForeignKeyConstraint('download_tickets_server_fk', ['server_id'], 'servers', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'download_tickets_user_ix', 'download_tickets', ['user_id'])
  await createIndex(db, 'download_tickets_server_ix', 'download_tickets', ['server_id'])
  await createIndex(db, 'download_tickets_expires_ix', 'download_tickets', ['expires_at'])

  await createTable(db, 'ssh_keys')
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('name', varchar(100), (column) => column.notNull())
    .addColumn('algorithm', varchar(50), (column) => column.notNull())
    .addColumn('public_key', longText(db), (column) => column.notNull())
    .addColumn('fingerprint', varchar(64), (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .addColumn('used_at', timestampMs)
    .addForeignKeyConstraint('ssh_keys_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await createIndex(db, 'ssh_keys_fingerprint_uq', 'ssh_keys', ['fingerprint'])
  await createIndex(db, 'ssh_keys_user_ix', 'ssh_keys', ['user_id', 'created_at'])

  // No reference to a table of nodes: the node of this machine has no row there.
  await createTable(db, 'node_keys')
    .addColumn('node_id', bigint, (column) => column.primaryKey())
    .addColumn('jwk', varchar(500), (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .execute()
}
