import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test as base, inject } from 'vitest'
import { connect, openDatabase } from '../database/database.ts'
import type { Database } from '../database/schema.ts'
import type { ServerKind } from './database-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database server of this run; an embedded database when there is none. */
    databaseServer?: Server
  }
}

interface Server {
  readonly kind: ServerKind
  /** A database that is always there. */
  readonly home: string
}

/** A database for one test. */
export interface TestDatabase {
  readonly url: string
  /** For whoever is done with it. */
  release(): Promise<void>
}

/** A database of this run's kind: nobody else uses it, and what is in it was not there before. */
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

/** A copy of one with tables and without rows: to make the tables takes longer. */
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

/** A database of this run's kind without any table. */
export async function bareDatabase(folder: string): Promise<string> {
  const server = inject('databaseServer')
  return server ? createAt(server.home) : `sqlite:${join(folder, 'bare.db')}`
}

/** Databases with tables and without rows, for the tests of one file: to make one takes longer than to empty one. */
const emptyDatabases: CachedDatabase[] = []

interface CachedDatabase {
  readonly url: string
  empty(): Promise<void>
}

async function newDatabase({ kind, home }: Server): Promise<CachedDatabase> {
  const url = await createAt(home)
  const db = await openDatabase(url)
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  await db.destroy()
  return { url, empty: () => empty(url, tables, kind) }
}

/** A new database on a server, by the URL of another there; resolves to its URL. */
export async function createAt(home: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const db = connect(home)
  try {
    await sql`create database ${sql.id(name)}`.execute(db)
  } finally {
    await db.destroy()
  }
  const url = new URL(home)
  url.pathname = name
  return url.href
}

/** In any order: what refers to rows that are gone goes in the next moment. */
const unchecked: Readonly<Record<ServerKind, string>> = {
  postgres: "set session_replication_role = 'replica'",
  mariadb: 'set foreign_key_checks = 0',
}

/** All at once: asking for each table takes longer than emptying it. */
async function empty(url: string, tables: readonly string[], kind: ServerKind): Promise<void> {
  const db = connect(kind === 'mariadb' ? `${url}?multipleStatements=true` : url)
  try {
    await sql.raw([unchecked[kind], ...tables.map((table) => `delete from ${table}`)].join(';')).execute(db)
  } finally {
    await db.destroy()
  }
}

/** A test with a database of its own. */
export const test = base.extend<{ folder: string; url: string; db: Database }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-database-'))
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
