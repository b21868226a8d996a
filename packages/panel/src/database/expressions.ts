import { type Expression, type SqlBool, sql } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Whether a text column matches a filter with `*` as wildcard, case-insensitive. Databases ignore the case of ASCII
 * letters only: use the `…_key` column where names can have others.
 */
export function matchesWildcard(column: string, filter: string): Expression<SqlBool> {
  const pattern = filter.toLowerCase().replace(/[!%_]/g, '!$&').replaceAll('*', '%')
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '!'`
}

/** Checks that the database responds. */
export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db)
}
