import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Roles, and the users who have them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'roles')
    .addColumn('id', varchar(36), (column) => column.notNull().primaryKey())
    .addColumn('name', varchar(64), (column) => column.notNull())
    .addColumn('name_key', varchar(200), (column) => column.notNull())
    .addColumn('description', varchar(500), (column) => column.notNull())
    .addColumn('scopes', longText(db), (column) => column.notNull())
    .addColumn('rights', longText(db), (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .execute()
  await createIndex(db, 'roles_name_uq', 'roles', ['name_key'])
  await createTable(db, 'role_grants')
    .addColumn('role_id', varchar(36), (column) => column.notNull())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('tag_key', varchar(100), (column) => column.notNull())
    .addColumn('tag', varchar(24), (column) => column.notNull())
    .addColumn('source', varchar(64), (column) => column.notNull())
    .addPrimaryKeyConstraint('role_grants_pk', ['role_id', 'user_id', 'tag_key', 'source'])
    .addForeignKeyConstraint('role_grants_role_fk', ['role_id'], 'roles', ['id'], (key) => key.onDelete('cascade'))
    .addForeignKeyConstraint('role_grants_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await createIndex(db, 'role_grants_user_ix', 'role_grants', ['user_id'])
  await createIndex(db, 'role_grants_tag_ix', 'role_grants', ['tag_key'])
}
