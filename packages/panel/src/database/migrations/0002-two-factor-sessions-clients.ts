import type { Kysely } from 'kysely'
import { addColumn, bigint, boolean, createIndex, createTable, timestampMs, varchar } from './helpers/columns.ts'

/** Two-factor login, where sessions were opened, and OAuth2 clients. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'sessions', 'address', varchar(64), (column) => column.notNull().defaultTo(''))
  await addColumn(db, 'sessions', 'agent', varchar(255), (column) => column.notNull().defaultTo(''))

  await createTable(db, 'two_factor')
    .addColumn('user_id', bigint, (column) => column.primaryKey())
    .addColumn('secret', varchar(64), (column) => column.notNull())
    .addColumn('is_on', boolean, (column) => column.notNull())
    .addColumn('last_step', bigint, (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .addForeignKeyConstraint('two_factor_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()

  await createTable(db, 'recovery_codes')
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('hash', varchar(64), (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_pk', ['user_id', 'hash'])
    .addForeignKeyConstraint('recovery_codes_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()

  await createTable(db, 'pending_logins')
    .addColumn('id', varchar(64), (column) => column.primaryKey())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('tries', bigint, (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .addForeignKeyConstraint('pending_logins_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await createIndex(db, 'pending_logins_user_ix', 'pending_logins', ['user_id'])
  await createIndex(db, 'pending_logins_expires_ix', 'pending_logins', ['expires_at'])

  await createTable(db, 'oauth2_clients')
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('server_id', varchar(8))
    .addColumn('name', varchar(100), (column) => column.notNull())
    .addColumn('description', varchar(500), (column) => column.notNull())
    .addColumn('secret', varchar(64), (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .addForeignKeyConstraint('oauth2_clients_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .addForeignKeyConstraint('oauth2_clients_server_fk', ['server_id'], 'servers', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'oauth2_clients_user_ix', 'oauth2_clients', ['user_id'])
  await createIndex(db, 'oauth2_clients_server_ix', 'oauth2_clients', ['server_id'])

  await createTable(db, 'oauth2_tokens')
    .addColumn('id', varchar(64), (column) => column.primaryKey())
    .addColumn('client_id', varchar(36), (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .addForeignKeyConstraint('oauth2_tokens_client_fk', ['client_id'], 'oauth2_clients', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'oauth2_tokens_client_ix', 'oauth2_tokens', ['client_id'])
  await createIndex(db, 'oauth2_tokens_expires_ix', 'oauth2_tokens', ['expires_at'])
}
