import { existsSync } from 'node:fs'
import { type Dialect, Kysely } from 'kysely'
import type { Logger } from 'pino'
import { backUp } from './backups.ts'
import { type AppliedMigration, appliedMigrations, migrate, migrations, pendingMigrations } from './migrations.ts'
import { withRetries } from './retrying-dialect.ts'
import type { Database, Tables } from './schema.ts'
import { sqlite } from './sqlite.ts'

/** Backs up a database on a server before its migration, and resolves to the file. */
export type BackUpServer = () => Promise<string>

/** Opens a database and migrates it. The caller must call `destroy`. */
export async function openDatabase(url: string, log?: Logger, backUpServer?: BackUpServer): Promise<Database> {
  const db = await connect(url)
  try {
    if ((await pendingMigrations(db)).length > 0)
      await (url === inMemory ? migrate(db) : migrateDatabase(url, log, backUpServer))
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** The database does not exist yet, or has pending migrations. */
export class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError'
}

/**
 * Opens a database without migrating it. The caller must call `destroy`.
 * @throws PendingMigrationsError
 */
export async function openMigrated(url: string): Promise<Database> {
  const { applied, pending } = await inspectDatabase(url)
  if (applied.length === 0) throw new PendingMigrationsError('There is no database yet.')
  if (pending.length > 0) throw new PendingMigrationsError('The database is of an older version of Innkeeper.')
  return await connect(url)
}

/** Applied and pending migrations; creates and changes nothing. */
export async function inspectDatabase(
  url: string,
): Promise<{ readonly applied: readonly AppliedMigration[]; readonly pending: readonly string[] }> {
  const path = findPath(url)
  if (path !== undefined && url !== inMemory && !existsSync(path)) {
    return { applied: [], pending: Object.keys(migrations) }
  }
  const db = await connect(url)
  try {
    return { applied: await appliedMigrations(db), pending: await pendingMigrations(db) }
  } finally {
    await db.destroy()
  }
}

/** Connects to a database without checking its migrations. The caller must call `destroy`. */
export async function connect(url: string, options: { readonly noTimeouts?: boolean } = {}): Promise<Database> {
  return new Kysely<Tables>({
    dialect: withRetries(await readDialect(url, options), { reconnects: options.noTimeouts !== true }),
  })
}

/**
 * Migrates a database. A database with tables is backed up first: an embedded one is copied to a file beside it, one on
 * a server is backed up by `backUpServer`. Without a backup nothing is migrated.
 * @returns the names of the applied migrations, and the path of the copy
 */
export async function migrateDatabase(
  url: string,
  log?: Logger,
  backUpServer?: BackUpServer,
): Promise<{ readonly steps: readonly string[]; readonly copy?: string | undefined }> {
  const db = await connect(url, { noTimeouts: true })
  try {
    const [applied, pending] = [await appliedMigrations(db), await pendingMigrations(db)]
    const path = findPath(url)
    const isUsed = url !== inMemory && applied.length > 0 && pending.length > 0
    const copy = isUsed ? await (path === undefined ? backUpServer?.() : backUp(db, path)) : undefined
    if (copy) log?.info({ copy }, 'the database was backed up before its migration')
    const steps = await migrate(db, { copy })
    if (steps.length > 0) log?.info({ steps }, 'the database was migrated')
    return { steps, copy }
  } finally {
    await db.destroy()
  }
}

const inMemory = 'sqlite::memory:'

function findPath(url: string): string | undefined {
  return /^sqlite:(?<path>.+)$/.exec(url)?.groups?.path
}

/** Loads only the driver that is used: those of servers take 20 MiB of memory. */
async function readDialect(url: string, options: { readonly noTimeouts?: boolean }): Promise<Dialect> {
  const path = findPath(url)
  if (path) return sqlite(path, options)
  const kind = /^[a-z0-9+]+(?=:)/i.exec(url)?.[0] ?? 'nothing'
  const server = URL.parse(url)
  const namesDatabase = server !== null && server.pathname.length > 1
  if (namesDatabase && ['postgres', 'postgresql'].includes(kind)) {
    return (await import('./postgres.ts')).postgres(url, options)
  }
  if (namesDatabase && ['mysql', 'mariadb'].includes(kind)) {
    return (await import('./mysql.ts')).mysql(url, options)
  }
  // The URL can contain a password, so only its scheme is shown.
  const forms = "'sqlite:<path>', 'postgres://<user>:<password>@<host>/<database>' or 'mariadb://…'"
  throw new Error(`The database must be ${forms}; the configured URL begins with '${kind}'.`)
}
