import { DatabaseSync } from 'node:sqlite'
import { createConnection, type RowDataPacket } from 'mysql2/promise'

/**
 * Prints the tables of another program's database as the import tests use them: names, types, whether a column may be
 * empty, and defaults. To renew a file in `packages/cli/src/testing/schemas`, create an empty database as the other
 * program does, which the first lines of the file describe, and run:
 *
 *     node tools/describe-schema.ts sqlite:<path>
 *     node tools/describe-schema.ts mysql://<user>@<host>:<port>/<database>
 */

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** As an SQL expression. */
  readonly otherwise: string | undefined
}

const url = process.argv[2] ?? ''
process.stdout.write(schemaText(url.startsWith('sqlite:') ? sqliteColumns(url.slice(7)) : await mysqlColumns(url)))

function sqliteColumns(path: string): Column[] {
  using db = new DatabaseSync(path, { readOnly: true })
  const sql = `select m.name as t, c.name, c.type, c."notnull" as required, c.dflt_value as otherwise
    from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`
  return db
    .prepare(sql)
    .all()
    .map(({ t, name, type, required, otherwise }) => ({
      table: String(t),
      name: String(name),
      type: String(type),
      isRequired: required === 1,
      otherwise: otherwise === null ? undefined : String(otherwise),
    }))
}

async function mysqlColumns(uri: string): Promise<Column[]> {
  const connection = await createConnection({ uri, connectTimeout: 10_000 })
  await using _ = { [Symbol.asyncDispose]: () => connection.end() }
  const [rows] = await connection.query<RowDataPacket[]>(
    `select table_name as t, column_name as name, column_type as type, is_nullable as nullable, column_default as otherwise
      from information_schema.columns where table_schema = database() order by table_name, ordinal_position`,
  )
  return rows.map(({ t, name, type, nullable, otherwise }) => ({
    table: String(t),
    name: String(name),
    type: String(type),
    isRequired: nullable === 'NO',
    otherwise: otherwise === null || otherwise === 'NULL' ? undefined : String(otherwise).replace(/\(\)$/, ''),
  }))
}

function schemaText(columns: readonly Column[]): string {
  const tables = Map.groupBy(columns, ({ table }) => table)
  return [...tables]
    .map(([table, own]) => `\ncreate table \`${table}\` (\n${own.map(columnText).join(',\n')}\n);\n`)
    .join('')
}

function columnText({ name, type, isRequired, otherwise }: Column): string {
  // SQLite does not know the word.
  const plainType = type.toLowerCase().replace(' unsigned', '')
  const parts = [`\`${name}\``, plainType, isRequired ? 'not null' : '', otherwise ? `default ${otherwise}` : '']
  return `  ${parts.filter((part) => part !== '').join(' ')}`
}
