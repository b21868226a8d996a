import { type Expression, type Kysely, MysqlAdapter, sql } from 'kysely'

/** The type of a text column without a bound: `text` holds only 64 KiB on MySQL and MariaDB. */
export function longText(db: Kysely<unknown>): 'text' | Expression<unknown> {
  return db.getExecutor().adapter instanceof MysqlAdapter ? sql`longtext` : 'text'
}
