import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Passkeys, and the challenges that they sign. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'passkeys')
    .addColumn('id', varchar(64), (column) => column.primaryKey())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('name', varchar(100), (column) => column.notNull())
    .addColumn('credential_id', longText(db), (column) => column.notNull())
    .addColumn('public_key', longText(db), (column) => column.notNull())
    .addColumn('transports', varchar(400), (column) => column.notNull())
    .addColumn('counter', bigint, (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .addColumn('used_at', timestampMs)
    .addForeignKeyConstraint('passkeys_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await createIndex(db, 'passkeys_user_ix', 'passkeys', ['user_id'])

  await createTable(db, 'passkey_challenges')
    .addColumn('id', varchar(64), (column) => column.primaryKey())
    .addColumn('purpose', varchar(20), (column) => column.notNull())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .execute()
  await createIndex(db, 'passkey_challenges_expires_ix', 'passkey_challenges', ['expires_at'])
}
