import { type Expression, type SqlBool, sql } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Whether a text column fits a filter as people type it: `*` for anything, letters of either case. Databases know the
 * case of plain letters only: filter by the `…_key` column where names can have others.
 */
export function matchesWildcard(column: string, filter: string): Expression<SqlBool> {
  const pattern = filter.toLowerCase().replace(/[!%_]/g, '!$&').replaceAll('*', '%')
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '!'`
}

/** A name without the difference of letters' case, to sort by. */
export function lowerCased(column: string): Expression<string> {
  return sql<string>`lower(${sql.ref(column)})`
}

/** Asks the database for a sign of life. */
export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db)
}
