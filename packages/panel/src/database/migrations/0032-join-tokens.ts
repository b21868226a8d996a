import type { Kysely } from 'kysely'
import { bigint, createTable, timestampMs, varchar } from './helpers/columns.ts'

/** Tokens with which several machines register themselves as nodes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'join_tokens')
    .addColumn('id', varchar(50), (column) => column.primaryKey())
    .addColumn('secret', varchar(64), (column) => column.notNull())
    .addColumn('uses', bigint, (column) => column.notNull())
    .addColumn('uses_left', bigint, (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .addColumn('created_by', varchar(100), (column) => column.notNull())
    .execute()
}
