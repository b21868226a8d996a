import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test as base, inject } from 'vitest'
import { connect, openDatabase } from '../database/database.ts'
import type { Database } from '../database/schema.ts'
import type { ServerKind } from './database-server.ts'
import { memoryFolder } from './memory-folder.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database server of this test run; without one SQLite is used. */
    databaseServer?: Server
    /** Lines of the configuration of PgBouncer, in front of the database server. */
    poolerSettings?: readonly string[]
  }
}

interface Server {
  readonly kind: ServerKind
  /** A database that always exists. */
  readonly dataDir: string
}

/** A database for one test. */
export interface TestDatabase {
  readonly url: string
  /** Call it when the test is done. */
  release(): Promise<void>
}

/** An empty migrated database of this run's kind, for one test. */
export async function freshDatabase(folder: string): Promise<TestDatabase> {
  const server = inject('databaseServer')
  if (!server) return embedded(join(folder, 'panel.db'))
  const cachedEmptyDatabase = emptyDatabases.pop() ?? (await newDatabase(server))
  return {
    url: cachedEmptyDatabase.url,
    async release() {
      await cachedEmptyDatabase.empty()
      emptyDatabases.push(cachedEmptyDatabase)
    },
  }
}

/** A copy of a migrated SQLite file: migrating takes longer. */
async function embedded(path: string): Promise<TestDatabase> {
  tables ??= emptyFile(`${path}.first`)
  await writeFile(path, await tables, { mode: 0o600 })
  return { url: `sqlite:${path}`, release: async () => {} }
}

let tables: Promise<Buffer> | undefined

async function emptyFile(path: string): Promise<Buffer> {
  const db = await openDatabase(`sqlite:${path}`)
  await db.destroy()
  const content = await readFile(path)
  await rm(path)
  return content
}

/** A database without tables. */
export async function bareDatabase(folder: string): Promise<string> {
  const server = inject('databaseServer')
  return server ? createAt(server.dataDir) : `sqlite:${join(folder, 'bare.db')}`
}

/** Migrated databases for the tests of one file: creating one takes longer than emptying it. */
const emptyDatabases: CachedDatabase[] = []

interface CachedDatabase {
  readonly url: string
  empty(): Promise<void>
}

async function newDatabase({ kind, dataDir }: Server): Promise<CachedDatabase> {
  const url = await createAt(dataDir)
  const db = await openDatabase(url)
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  await db.destroy()
  return { url, empty: () => empty(url, tables, kind) }
}

/** Creates a database on a server, given the URL of another database there; resolves to its URL. */
export async function createAt(dataDir: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const db = await connect(dataDir)
  try {
    await sql`create database ${sql.id(name)}`.execute(db)
  } finally {
    await db.destroy()
  }
  const url = new URL(dataDir)
  url.pathname = name
  return url.href
}

/** Disables foreign keys, so that tables can be emptied in any order. A pooler gives the connection to others afterwards. */
const unchecked: Readonly<Record<ServerKind, string>> = {
  postgres: "set local session_replication_role = 'replica'",
  mariadb: 'set foreign_key_checks = 0',
}

/** Empties all tables in one statement, which is faster. */
async function empty(url: string, tables: readonly string[], kind: ServerKind): Promise<void> {
  const db = await connect(kind === 'mariadb' ? `${url}?multipleStatements=true` : url)
  try {
    await sql.raw([unchecked[kind], ...tables.map((table) => `delete from ${table}`)].join(';')).execute(db)
  } finally {
    await db.destroy()
  }
}

/** A test with its own database. */
export const test = base.extend<{ folder: string; url: string; db: Database }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await memoryFolder('innkeeper-database-')
    await use(folder)
    await rm(folder, { recursive: true })
  },
  url: async ({ folder }, use) => {
    const { url, release } = await freshDatabase(folder)
    await use(url)
    await release()
  },
  db: async ({ url }, use) => {
    const db = await openDatabase(url)
    await use(db)
    await db.destroy()
  },
})
