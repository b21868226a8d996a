import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import type { Layout } from '../import/layout.ts'
import type { ImportReport } from '../import/report.ts'
import type { ImportFixture } from './import-fixture.ts'
import {
  completeRows,
  fittingRows,
  missingInRows,
  type SchemaName,
  type SourceRows,
  type SourceSchema,
  sourceSchema,
} from './source-schema.ts'

type Value = string | number | null

/** A column with a value, and the text that proves that the value was carried over or reported. */
export interface Fact {
  readonly value: Value
  /** Absent: the value itself. */
  readonly shown?: string
  /** Why the value needs no mention. */
  readonly meaningless?: string
}

/** One row that fills every column of a table. */
export type FullRow = Readonly<Record<string, Value | Fact>>

export const shown = (value: Value, text: string): Fact => ({ value, shown: text })
/** An identifier, time, or state that means nothing in another panel. */
export const meaningless = (value: Value, reason: string): Fact => ({ value, meaningless: reason })

export const getValues = (row: FullRow): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(row).map(([column, fact]) => [column, typeof fact === 'object' && fact ? fact.value : fact]),
  )

export const getTables = (
  tables: Readonly<Record<string, readonly FullRow[]>>,
): Record<string, Record<string, Value>[]> =>
  Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, rows.map(getValues)]))

export interface FullDatabase {
  readonly schema: SourceSchema
  /** The rows in that schema. */
  readonly rows: SourceRows
  /** Tables and columns of other versions, which the schema does not have. */
  readonly others: readonly string[]
}

/** The database of another panel by its own schema. Expects that the rows fill every table and column of it. */
export function fullDatabase(
  name: SchemaName,
  layout: Layout,
  tables: Readonly<Record<string, readonly FullRow[]>>,
): FullDatabase {
  const schema = sourceSchema(name)
  const { rows, others } = fittingRows(schema, getTables(tables))
  expect(missingInRows(schema, layout, rows)).toEqual([])
  return { schema, rows: completeRows(schema, rows), others }
}

/** Expects each value in the database of Innkeeper, in a definition, or in the report. */
export async function expectEveryColumn(
  fixture: ImportFixture,
  report: ImportReport,
  tables: Readonly<Record<string, readonly FullRow[]>>,
): Promise<void> {
  const found = await readEverything(fixture, report)
  const missing = Object.entries(tables).flatMap(([table, rows]) =>
    rows.flatMap((row) =>
      Object.entries(row).flatMap(([column, fact]) => {
        const { value, shown: text, meaningless: reason } = typeof fact === 'object' && fact ? fact : { value: fact }
        if (reason !== undefined || found.includes(text ?? String(value))) return []
        return [`${table}.${column}: ${text ?? value}`]
      }),
    ),
  )
  expect(missing).toEqual([])
  expect(report.notes.filter((note) => note.includes('unknown to this import'))).toEqual([])
}

/** All that an import wrote and reported, as text. */
async function readEverything(fixture: ImportFixture, report: ImportReport): Promise<string> {
  const rows = await fixture.read(async (db) => [
    await db.selectFrom('users').selectAll().execute(),
    await db.selectFrom('user_scopes').selectAll().execute(),
    await db.selectFrom('user_settings').selectAll().execute(),
    await db.selectFrom('two_factor').selectAll().execute(),
    await db.selectFrom('server_users').selectAll().execute(),
    await db.selectFrom('servers').selectAll().execute(),
    await db.selectFrom('nodes').selectAll().execute(),
    await db.selectFrom('node_ports').selectAll().execute(),
    await db.selectFrom('templates').selectAll().execute(),
    await db.selectFrom('oauth2_clients').selectAll().execute(),
  ])
  const folder = fixture.path('data/servers')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const definitions = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, 'utf8')))
  const json = [JSON.stringify(rows), ...definitions].join('\n').replaceAll('\\"', '"').replaceAll('\\"', '"')
  return [json, ...report.notes].join('\n')
}
