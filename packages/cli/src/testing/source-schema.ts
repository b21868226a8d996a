import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Layout } from '../import/layout.ts'

type Value = string | number | null
export type SourceRows = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>

interface SourceColumn {
  /** The value for a row without one; `undefined` when it needs none. */
  readonly filler: string | number | undefined
}

/** The tables of another panel, as its own migrations or models create them. */
export interface SourceSchema {
  readonly sql: string
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, SourceColumn>>
}

export type SchemaName = 'pterodactyl' | 'pelican' | 'pufferpanel-2' | 'pufferpanel-3' | 'crafty'

/** Reads a file of `schemas`, whose first lines say how it was made. */
export function sourceSchema(name: SchemaName): SourceSchema {
  const sql = readFileSync(new URL(`./schemas/${name}.sql`, import.meta.url), 'utf8')
  using db = new DatabaseSync(':memory:')
  db.exec(sql)
  const columns = db.prepare(
    `select m.name as t, c.name, c.type, c."notnull" = 1 and c.dflt_value is null as required
      from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`,
  )
  const tables = new Map<string, Map<string, SourceColumn>>()
  for (const { t, name: column, type, required } of columns.all()) {
    const table = tables.get(String(t)) ?? new Map<string, SourceColumn>()
    const filler = required === 1 ? fillerFor(String(type)) : undefined
    tables.set(String(t), table.set(String(column), { filler }))
  }
  return { sql, tables }
}

function fillerFor(type: string): string | number {
  if (/date|timestamp/.test(type)) return '2024-05-06 07:08:09'
  return /int|numeric|real|blob/.test(type) ? 0 : ''
}

/** The rows with a value in each column that must have one: an import does not look at these. */
export function completeRows({ tables }: SourceSchema, rows: SourceRows): SourceRows {
  return Object.fromEntries(
    Object.entries(rows).map(([table, own]) => {
      const fillers = [...(tables.get(table) ?? [])].flatMap(([name, { filler }]) =>
        filler === undefined ? [] : [[name, filler] as const],
      )
      return [table, own.map((row) => ({ ...Object.fromEntries(fillers), ...row }))]
    }),
  )
}

/**
 * What the rows of a test lack: tables that may hold something of a user's and have no row, and columns of tables that
 * are carried over and have no value in any row.
 */
export function missingInRows({ tables }: SourceSchema, layout: Layout, rows: SourceRows): string[] {
  return [...tables].flatMap(([table, columns]) => {
    const known = Object.hasOwn(layout, table) ? layout[table] : undefined
    if (known === 'state') return []
    const own = rows[table] ?? []
    if (own.length === 0) return [table]
    if (known === undefined || !('carried' in known)) return []
    return [...columns.keys()].flatMap((column) => (own.some((row) => column in row) ? [] : [`${table}.${column}`]))
  })
}

/** The rows without tables and columns that the schema does not have, and the names of these. */
export function fittingRows({ tables }: SourceSchema, rows: SourceRows): { rows: SourceRows; others: string[] } {
  const others = new Set<string>()
  const fitting = Object.entries(rows).flatMap(([table, own]) => {
    const columns = tables.get(table)
    if (!columns) {
      others.add(table)
      return []
    }
    const kept = own.map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(([column]) => {
          if (!columns.has(column)) others.add(`${table}.${column}`)
          return columns.has(column)
        }),
      ),
    )
    return [[table, kept] as const]
  })
  return { rows: Object.fromEntries(fitting), others: [...others].toSorted() }
}
