import { type Kysely, sql } from 'kysely'
import { addColumn, bigint, createIndex, createTable, timestampMs, varchar } from './helpers/columns.ts'

/**
 * Which email addresses are known to belong to their accounts, and the links that confirm them. Accounts that hold a
 * permission already count as confirmed: somebody gave it to them. Where people could register, they still can.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'users', 'email_confirmed_at', timestampMs)
  await sql`
    update users set email_confirmed_at = created_at
    where id in (select user_id from user_scopes) or id in (select user_id from server_users)
  `.execute(db)
  await sql`
    insert into settings (${sql.id('key')}, value)
    select 'panel.registrationEnabled', 'true' from counters
    where name = 'users'
      and not exists (select 1 from settings where ${sql.id('key')} = 'panel.registrationEnabled')
  `.execute(db)

  await createTable(db, 'email_confirmations')
    .addColumn('token', varchar(64), (column) => column.primaryKey())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .addForeignKeyConstraint('email_confirmations_user_fk', ['user_id'], 'users', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'email_confirmations_user_ix', 'email_confirmations', ['user_id'])
  await createIndex(db, 'email_confirmations_expires_ix', 'email_confirmations', ['expires_at'])
}
