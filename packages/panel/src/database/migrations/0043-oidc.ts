import type { Kysely } from 'kysely'
import { bigint, boolean, createIndex, createTable, timestampMs, varchar } from './helpers/columns.ts'

/** Providers of OpenID Connect, identities of users there, and sign-ins that wait for a provider. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'oidc_providers')
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('name', varchar(100), (column) => column.notNull())
    .addColumn('issuer', varchar(500), (column) => column.notNull())
    .addColumn('client_id', varchar(255), (column) => column.notNull())
    .addColumn('client_secret', varchar(1000), (column) => column.notNull())
    .addColumn('scopes', varchar(500), (column) => column.notNull())
    .addColumn('creates_accounts', boolean, (column) => column.notNull())
    .addColumn('is_two_factor', boolean, (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .execute()

  await createTable(db, 'identities')
    .addColumn('id', varchar(64), (column) => column.primaryKey())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('issuer', varchar(500), (column) => column.notNull())
    .addColumn('label', varchar(255), (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .addColumn('used_at', timestampMs)
    .addForeignKeyConstraint('identities_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await createIndex(db, 'identities_user_ix', 'identities', ['user_id'])

  await createTable(db, 'oidc_requests')
    .addColumn('id', varchar(64), (column) => column.primaryKey())
    .addColumn('provider_id', varchar(36), (column) => column.notNull())
    .addColumn('purpose', varchar(20), (column) => column.notNull())
    .addColumn('started_by', varchar(64), (column) => column.notNull())
    .addColumn('nonce', varchar(100), (column) => column.notNull())
    .addColumn('code_verifier', varchar(200), (column) => column.notNull())
    .addColumn('redirect_url', varchar(1000), (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .addForeignKeyConstraint('oidc_requests_provider_fk', ['provider_id'], 'oidc_providers', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'oidc_requests_expires_ix', 'oidc_requests', ['expires_at'])
}
