import type { ForeignDatabase } from '@innkeeper/panel/database/foreign-database'
import { textIn } from './rows.ts'

/** A table that is not carried over: what its rows are, and the columns that can name one, the best first. */
export type UnsupportedTable = readonly [table: string, what: string, columns: readonly string[]]

const maxNamed = 1_000

/** Names the rows of tables that are not carried over. */
export async function addUnsupportedTablesNote(
  db: ForeignDatabase,
  tables: readonly UnsupportedTable[],
  notes: string[],
): Promise<void> {
  for (const [table, what, columns] of tables) {
    const rows = (await db.rows(table)).filter((row) => textIn(row, 'deleted_at') === undefined)
    for (const row of rows.slice(0, maxNamed)) {
      const name = columns.map((column) => textIn(row, column)).find(Boolean) ?? textIn(row, 'id')
      notes.push(`${what} ${name}: is not carried over`)
    }
    if (rows.length > maxNamed) notes.push(`${rows.length - maxNamed} more of the table ${table} are not carried over`)
  }
}

/** Recovery codes are secret and have no names. */
export async function addRecoveryCodesNote(db: ForeignDatabase, table: string, notes: string[]): Promise<void> {
  const { length } = await db.rows(table)
  if (length > 0) notes.push(`${length} recovery codes of users: are not carried over`)
}
