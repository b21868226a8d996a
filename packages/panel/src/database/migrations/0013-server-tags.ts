import type { Kysely } from 'kysely'
import { createIndex, createTable, varchar } from './helpers/columns.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'server_tags')
    .addColumn('server_id', varchar(8), (column) => column.notNull())
    // A lower-case letter can be longer than its upper-case one.
    .addColumn('tag_key', varchar(100), (column) => column.notNull())
    .addColumn('tag', varchar(24), (column) => column.notNull())
    .addPrimaryKeyConstraint('server_tags_pk', ['server_id', 'tag_key'])
    .addForeignKeyConstraint('server_tags_server_fk', ['server_id'], 'servers', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'server_tags_key_ix', 'server_tags', ['tag_key'])
}
