import type { Kysely } from 'kysely'
import { addColumn, boolean, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Limits, end, pause and use of OAuth2 clients. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'oauth2_clients', 'limits', longText(db))
  await addColumn(db, 'oauth2_clients', 'expires_at', timestampMs)
  await addColumn(db, 'oauth2_clients', 'is_paused', boolean, (column) => column.notNull().defaultTo(0))
  await addColumn(db, 'oauth2_clients', 'last_used_at', timestampMs)
  await createTable(db, 'oauth2_client_networks')
    .addColumn('client_id', varchar(36), (column) => column.notNull())
    .addColumn('network', varchar(64), (column) => column.notNull())
    .addColumn('first_used_at', timestampMs, (column) => column.notNull())
    .addPrimaryKeyConstraint('oauth2_client_networks_pk', ['client_id', 'network'])
    .addForeignKeyConstraint('oauth2_client_networks_client_fk', ['client_id'], 'oauth2_clients', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
}
