import { type Expression, type SqlBool, sql } from 'kysely'
import type { Database } from './schema.ts'

/** Whether a name fits a filter as people type it: `*` for anything, letters of either case. */
export function nameFits(column: 'name', filter: string): Expression<SqlBool> {
  const pattern = filter.toLowerCase().replace(/[!%_]/g, '!$&').replaceAll('*', '%')
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '!'`
}

/** A name without the difference of letters' case, to sort by. */
export function folded(column: 'name'): Expression<string> {
  return sql<string>`lower(${sql.ref(column)})`
}

/** Asks the database for a sign of life. */
export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db)
}
