import type { ForeignDatabase, ForeignRow } from '@innkeeper/panel/database/foreign-database'

/**
 * What an import does with each table and column of another panel, so that nothing is lost silently: what a layout does
 * not know is in the report, too.
 */
export type Layout = Readonly<Record<string, TableLayout>>

export type TableLayout = ReadTable | LostRows | CountedRows | 'state'

/** A table that is carried over. */
interface ReadTable {
  /** What a row is, as in `user`. */
  readonly what: string
  readonly name: (row: ForeignRow) => string | undefined
  /** Columns that are carried over, or that the reader itself reports, separated by spaces. */
  readonly carried: string
  /** Columns without meaning here: identifiers, times, state and secrets of the other panel. */
  readonly ignored?: string
  /** Columns that are in the report for each row with another value than usual. */
  readonly listed?: Readonly<Record<string, ListedColumn>>
}

interface ListedColumn {
  readonly title: string
  /** Values that need no mention, as text. Nothing, `[]` and `{}` never need one. */
  readonly usual?: readonly string[]
  /** The text of a value; `undefined` to leave it out. Secrets have an empty one. */
  readonly text?: (value: string, row: ForeignRow) => string | undefined
}

/** A table whose rows are not carried over, each with its name. */
interface LostRows {
  readonly lost: string
  readonly name: (row: ForeignRow) => string | undefined
  /** Rows that need no mention. */
  readonly isCarried?: (row: ForeignRow) => boolean
}

/** A table whose rows have no names, or are too many. */
interface CountedRows {
  readonly counted: string
}

const maxNamed = 1_000
const maxText = 80

/** A value of any database as text; empty for nothing. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Buffer.isBuffer(value)) return value.toString('utf8')
  if (typeof value === 'object') {
    const text = JSON.stringify(value)
    return text === '[]' || text === '{}' ? '' : text
  }
  const text = String(value).trim()
  return text === '[]' || text === '{}' ? '' : text
}

/** Names a row by the first column that has a value. */
export const byColumns =
  (...columns: readonly string[]) =>
  (row: ForeignRow): string | undefined =>
    columns.map((column) => valueText(row[column])).find((text) => text !== '')

/** Usual values of columns for switches. */
export const off = ['0', 'false', 'f']
export const on = ['1', 'true', 't']
/** What the report shows instead of a secret. */
export const secret = (): string => ''

export const column = (title: string, usual: readonly string[] = [], text?: ListedColumn['text']): ListedColumn => ({
  title,
  usual,
  ...(text ? { text } : {}),
})

/** Tables with state of the other panel, or whose rows belong to those of other tables; separated by spaces. */
export const stateTables = (names: string): Layout =>
  Object.fromEntries(names.split(' ').map((name) => [name, 'state']))

/** Reports what is not carried over of a database. */
export async function addLayoutNotes(db: ForeignDatabase, layout: Layout, notes: string[]): Promise<void> {
  for (const table of [...db.tables.keys()].toSorted()) {
    const known = Object.hasOwn(layout, table) ? layout[table] : undefined
    if (known === 'state') continue
    addTableNotes(table, await db.rows(table), known, notes)
  }
}

/** Reports what is not carried over of the rows of a table, or of files of one kind. */
export function addTableNotes(
  table: string,
  all: readonly ForeignRow[],
  layout: Exclude<TableLayout, 'state'> | undefined,
  notes: string[],
): void {
  const rows = all.filter((row) => valueText(row.deleted_at) === '')
  if (rows.length === 0) return
  if (layout === undefined)
    notes.push(`${rows.length} rows of ${table}: are unknown to this import, and not carried over`)
  else if ('counted' in layout) notes.push(`${rows.length} ${layout.counted}: are not carried over`)
  else if ('lost' in layout) addLostRows(rows, layout, notes)
  else addColumnNotes(table, rows, layout, notes)
}

function addLostRows(all: readonly ForeignRow[], { lost, name, isCarried }: LostRows, notes: string[]): void {
  const rows = all.filter((row) => !isCarried?.(row))
  for (const row of rows.slice(0, maxNamed)) notes.push(`${lost} ${getName(row, name)}: is not carried over`)
  if (rows.length > maxNamed) notes.push(`${rows.length - maxNamed} more of the kind ${lost}: are not carried over`)
}

function addColumnNotes(table: string, rows: readonly ForeignRow[], layout: ReadTable, notes: string[]): void {
  const { what: subject, name, carried, ignored = '', listed = {} } = layout
  const known = new Set([...carried.split(' '), ...ignored.split(' '), ...Object.keys(listed)])
  const unknown = new Set<string>()
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) if (!known.has(key) && valueText(value) !== '') unknown.add(key)
    const lost = Object.entries(listed).flatMap(([key, { title, usual = [], text = asItIs }]) => {
      const value = valueText(row[key])
      if (value === '' || usual.includes(value)) return []
      const shown = text(value, row)
      return shown === undefined ? [] : [shown === '' ? title : `${title} (${oneLine(shown)})`]
    })
    if (lost.length > 0) notes.push(`${subject} ${getName(row, name)}: not carried over: ${lost.join(', ')}`)
  }
  if (unknown.size > 0)
    notes.push(`${table}: unknown to this import, and not carried over: ${[...unknown].toSorted().join(', ')}`)
}

const asItIs = (value: string): string => value

const getName = (row: ForeignRow, name: ReadTable['name']): string => oneLine(name(row) ?? `#${valueText(row.id)}`)

/** Short text without line ends and other control characters. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line
}

/** The note about settings of a file that are not carried over. */
export const lostSettings = (file: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`settings in ${file}: not carried over: ${names.slice(0, 100).join(', ')}`]

/** The values of an object with objects in it, by their paths: `docker.image`. Lists are values. */
export function flatRow(json: unknown, prefix = ''): ForeignRow {
  if (typeof json !== 'object' || json === null) return {}
  return Object.fromEntries(
    Object.entries(json).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flatRow(value, `${prefix}${key}.`))
        : [[`${prefix}${key}`, value]],
    ),
  )
}
