import { readFileSync } from 'node:fs'
import { SqliteAdapter, sql } from 'kysely'
import { type ESTree, parseSync } from 'vite'
import { expect } from 'vitest'
import { test } from '../testing/databases.ts'
import type { Database } from './schema.ts'

interface Column {
  readonly type: 'number' | 'string'
  readonly isNullable: boolean
  /** Whether an insert may omit it, because the database has a default. */
  readonly isOptional: boolean
}

/** Columns by table and name. */
type Schema = Readonly<Record<string, Readonly<Record<string, Column>>>>

/** The tables as `schema.ts` declares them. */
function declaredSchema(): Schema {
  const path = new URL('schema.ts', import.meta.url)
  const { program } = parseSync('schema.ts', readFileSync(path, 'utf8'))
  const interfaces = new Map<string, readonly ESTree.TSSignature[]>()
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined
    if (declaration?.type === 'TSInterfaceDeclaration') interfaces.set(declaration.id.name, declaration.body.body)
  }
  const getMembers = (type: ESTree.TSType): readonly ESTree.TSSignature[] => {
    if (type.type === 'TSTypeLiteral') return type.members
    if (type.type === 'TSIntersectionType') return type.types.flatMap(getMembers)
    const name = type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' ? type.typeName.name : ''
    return interfaces.get(name) ?? []
  }
  const tables = getProperties(interfaces.get('Tables') ?? [])
  return Object.fromEntries(
    tables.map(({ name, type }) => [
      name,
      Object.fromEntries(getProperties(getMembers(type)).map((property) => [property.name, getColumn(property.type)])),
    ]),
  )
}

function getProperties(members: readonly ESTree.TSSignature[]) {
  return members.flatMap((member) => {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier' || !member.typeAnnotation) return []
    return { name: member.key.name, type: member.typeAnnotation.typeAnnotation }
  })
}

function getColumn(type: ESTree.TSType): Column {
  if (type.type === 'TSTypeReference') {
    const [inner] = type.typeArguments?.params ?? []
    if (!inner) throw new Error('a column has an unknown type')
    return { ...getColumn(inner), isOptional: true }
  }
  const types = type.type === 'TSUnionType' ? type.types : [type]
  return {
    type: types.some((part) => part.type === 'TSNumberKeyword') ? 'number' : 'string',
    isNullable: types.some((part) => part.type === 'TSNullKeyword'),
    isOptional: false,
  }
}

/** Added to a table with rows, so they may be null. The migration and each insert set them. */
const neverNull: readonly string[] = ['servers.name_key', 'servers.name_sort']

/** The tables of a database. */
async function migratedSchema(db: Database, declared: Schema): Promise<Schema> {
  const keys = await sqlitePrimaryKeys(db)
  const tables = await db.introspection.getTables()
  return Object.fromEntries(
    tables.map(({ name: table, columns }) => [
      table,
      Object.fromEntries(
        columns.map(({ name, dataType, isNullable: mayBeNull, hasDefaultValue }): [string, Column] => {
          const isNullable = mayBeNull && !keys.has(`${table}.${name}`) && !neverNull.includes(`${table}.${name}`)
          // A type may require a value nevertheless.
          const isOptional = hasDefaultValue && declared[table]?.[name]?.isOptional === true
          return [name, { type: /int/i.test(dataType) ? 'number' : 'string', isNullable, isOptional }]
        }),
      ),
    ]),
  )
}

/** SQLite allows null in primary keys, other databases do not. */
async function sqlitePrimaryKeys(db: Database): Promise<ReadonlySet<string>> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return new Set()
  const { rows } = await sql<{ name: string }>`select m.name || '.' || c.name as name
    from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and c.pk > 0`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

test('the types of the tables are those of the migrated database', async ({ db }) => {
  const declared = declaredSchema()

  expect(await migratedSchema(db, declared)).toEqual(declared)
})
