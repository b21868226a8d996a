import { sql } from 'kysely'
import { connect } from '../database/database.ts'

/**
 * Creates tables with rows in a database of a server: as the schema does, which has an empty line between statements, else
 * with text and integer columns.
 */
export async function createTables(
  url: string,
  tables: Readonly<Record<string, readonly Readonly<Record<string, string | number | null>>[]>>,
  schema?: string,
): Promise<void> {
  const db = await connect(url)
  const text = url.startsWith('postgres') ? 'text' : 'longtext'
  try {
    for (const statement of schema?.split('\n\n').filter((part) => part.startsWith('create')) ?? [])
      await sql.raw(statement).execute(db)
    for (const [name, rows] of Object.entries(tables)) {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
      const isNumber = (column: string) => rows.some((row) => typeof row[column] === 'number')
      const types = columns.map((column) => sql`${sql.ref(column)} ${sql.raw(isNumber(column) ? 'bigint' : text)}`)
      if (schema === undefined) await sql`create table ${sql.table(name)} (${sql.join(types)})`.execute(db)
      for (const row of rows) {
        const names = sql.join(Object.keys(row).map((column) => sql.ref(column)))
        await sql`insert into ${sql.table(name)} (${names}) values (${sql.join(Object.values(row))})`.execute(db)
      }
    }
  } finally {
    await db.destroy()
  }
}
