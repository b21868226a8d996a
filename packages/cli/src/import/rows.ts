import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'

/** Values of rows of another program: integers are numbers or text, booleans numbers, depending on the database. */

const maxText = 1_048_576

/** Text, bounded; `undefined` for NULL, a missing column and anything that is no text or number. */
export function textIn(row: ForeignRow, column: string): string | undefined {
  const value = row[column]
  if (typeof value === 'string') return value.slice(0, maxText)
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return Buffer.isBuffer(value) ? value.toString('utf8').slice(0, maxText) : undefined
}

export function numberIn(row: ForeignRow, column: string): number | undefined {
  const text = textIn(row, column)?.trim()
  const number = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

export function flagIn(row: ForeignRow, column: string): boolean {
  const value = row[column]
  return value === true || ['1', 'true', 't'].includes(textIn(row, column)?.toLowerCase() ?? '')
}

/** A port, or the default when the column has none. */
export function portIn(row: ForeignRow, column: string, otherwise: number): number {
  const port = numberIn(row, column)
  return port !== undefined && Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : otherwise
}

/** Rows by a column. */
export function groupBy(rows: readonly ForeignRow[], column: string): ReadonlyMap<string, readonly ForeignRow[]> {
  const groups = new Map<string, ForeignRow[]>()
  for (const row of rows) {
    const key = textIn(row, column) ?? ''
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}
