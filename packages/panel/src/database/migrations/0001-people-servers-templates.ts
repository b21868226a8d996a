import type { Kysely } from 'kysely'
import { longText } from '../columns.ts'

/** People and their sessions, servers and who may use them, templates, settings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db

  await schema
    .createTable('users')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('username', 'varchar(100)', (column) => column.notNull())
    .addColumn('username_key', 'varchar(100)', (column) => column.notNull())
    .addColumn('email', 'varchar(255)', (column) => column.notNull())
    .addColumn('email_key', 'varchar(255)', (column) => column.notNull())
    .addColumn('password', 'varchar(255)', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('users_username_uq').unique().on('users').column('username_key').execute()
  await schema.createIndex('users_email_uq').unique().on('users').column('email_key').execute()

  await schema
    .createTable('user_scopes')
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('scope', 'varchar(50)', (column) => column.notNull())
    .addPrimaryKeyConstraint('user_scopes_pk', ['user_id', 'scope'])
    .addForeignKeyConstraint('user_scopes_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await schema.createIndex('user_scopes_scope_ix').on('user_scopes').column('scope').execute()

  await schema
    .createTable('user_settings')
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('key', 'varchar(100)', (column) => column.notNull())
    .addColumn('value', longText(db), (column) => column.notNull())
    .addPrimaryKeyConstraint('user_settings_pk', ['user_id', 'key'])
    .addForeignKeyConstraint('user_settings_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()

  await schema
    .createTable('sessions')
    .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addForeignKeyConstraint('sessions_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await schema.createIndex('sessions_user_ix').on('sessions').column('user_id').execute()
  await schema.createIndex('sessions_expires_ix').on('sessions').column('expires_at').execute()

  await schema
    .createTable('servers')
    .addColumn('id', 'varchar(8)', (column) => column.primaryKey())
    .addColumn('name', 'varchar(40)', (column) => column.notNull())
    .addColumn('node_id', 'integer', (column) => column.notNull())
    .addColumn('ip', 'varchar(255)', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('type', 'varchar(100)', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('servers_name_uq').unique().on('servers').column('name').execute()
  await schema.createIndex('servers_node_ix').on('servers').column('node_id').execute()

  await schema
    .createTable('server_users')
    .addColumn('server_id', 'varchar(8)', (column) => column.notNull())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('rights', 'varchar(1000)', (column) => column.notNull())
    .addPrimaryKeyConstraint('server_users_pk', ['server_id', 'user_id'])
    .addForeignKeyConstraint('server_users_server_fk', ['server_id'], 'servers', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .addForeignKeyConstraint('server_users_user_fk', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
  await schema.createIndex('server_users_user_ix').on('server_users').column('user_id').execute()

  await schema
    .createTable('templates')
    .addColumn('name', 'varchar(100)', (column) => column.primaryKey())
    .addColumn('body', longText(db), (column) => column.notNull())
    .execute()
  await schema
    .createTable('seeded_templates')
    .addColumn('name', 'varchar(100)', (column) => column.primaryKey())
    .addColumn('digest', 'varchar(64)', (column) => column.notNull())
    .execute()

  await schema
    .createTable('settings')
    .addColumn('key', 'varchar(100)', (column) => column.primaryKey())
    .addColumn('value', longText(db), (column) => column.notNull())
    .execute()
  await schema
    .createTable('signing_keys')
    .addColumn('id', 'varchar(50)', (column) => column.primaryKey())
    .addColumn('jwk', longText(db), (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('setup_codes')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('hash', 'varchar(64)', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()

  await schema
    .createTable('tries')
    .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('tries_expires_ix').on('tries').column('expires_at').execute()
  await schema
    .createTable('counters')
    .addColumn('name', 'varchar(50)', (column) => column.primaryKey())
    .addColumn('value', 'integer', (column) => column.notNull())
    .execute()
}
