import { MysqlAdapter, PostgresAdapter, sql } from 'kysely'
import { connect, inspectDatabase, openDatabase, PendingMigrationsError } from './database.ts'
import { migrateTo } from './migrations.ts'
import { runTransaction } from './rows.ts'
import type { Database, Tables } from './schema.ts'

/**
 * Tables whose rows are valid for a short time only: sessions, codes, clones, moves, evacuations, reserved ports and counters of attempts. A
 * snapshot does not contain them, so that a restore does not bring back credentials that were revoked, or delete a clone
 * that has ended.
 */
const transientTables: readonly (keyof Tables)[] = [
  'sessions',
  'pending_logins',
  'oauth2_tokens',
  'download_tickets',
  'password_resets',
  'clones',
  'moves',
  'evacuations',
  'evacuated_servers',
  'port_reservations',
  'placements',
  'setup_codes',
  'tries',
]

/** Rows of one page and of one INSERT. */
const pageRows = 200
const insertRows = 50

type Row = Readonly<Record<string, unknown>>

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly primaryKey: readonly string[]
  /** Tables that its foreign keys refer to. */
  readonly parents: readonly string[]
}

/** The file is not a snapshot that can be restored. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
}

/**
 * Copies the database at one point in time to a new SQLite file at `path`, whatever its engine, while panels use it. The
 * file has the migrations that the database has.
 * @throws PendingMigrationsError when there is no database yet
 */
export async function snapshotDatabase(url: string, path: string): Promise<void> {
  const { applied } = await inspectDatabase(url)
  const migration = applied.at(-1)?.name
  if (migration === undefined) throw new PendingMigrationsError('There is no database yet.')
  const source = await connect(url, { noTimeouts: true })
  try {
    if (isServer(source)) await copyFromServer(source, path, migration)
    else await sql`vacuum into ${path}`.execute(source)
  } finally {
    await source.destroy()
  }
  await withFile(path, async (snapshot) => {
    const tables = new Set<string>((await readTables(snapshot)).map(({ name }) => name))
    for (const name of transientTables.filter((table) => tables.has(table)))
      await sql`delete from ${sql.table(name)}`.execute(snapshot)
    // The running panel sends these; after a restore they would be sent a second time.
    if (tables.has('mails')) await snapshot.deleteFrom('mails').where('state', 'in', ['waiting', 'sending']).execute()
    // Deleted rows leave the file.
    await sql`vacuum`.execute(snapshot)
  })
}

/**
 * Checks a snapshot and migrates it to this version. The database it was made of is not needed.
 * @throws SnapshotError when it is damaged, no snapshot, or of a newer version
 */
export async function prepareSnapshot(path: string): Promise<void> {
  try {
    const { applied } = await inspectDatabase(`sqlite:${path}`)
    if (applied.length === 0) throw new Error('It has no tables of Innkeeper.')
    await withFile(path, async (snapshot) => {
      const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(snapshot)
      if (rows[0]?.quick_check !== 'ok') throw new Error(rows[0]?.quick_check)
      await migrateTo(snapshot)
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SnapshotError(`Its database cannot be restored: ${reason}`, { cause: error })
  }
}

/**
 * Replaces all rows of a database by those of a prepared snapshot, in one transaction. Creates the tables when there are
 * none. Sessions end.
 */
export async function restoreSnapshot(url: string, path: string): Promise<void> {
  await (await openDatabase(url)).destroy()
  const target = await connect(url, { noTimeouts: true })
  try {
    await withFile(path, async (snapshot) => {
      const tables = parentsFirst(await readTables(snapshot))
      await runTransaction(target, async (transaction) => {
        for (const { name } of tables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(transaction)
        for (const table of tables) await copyTable(snapshot, transaction, table)
      })
    })
  } finally {
    await target.destroy()
  }
}

/** Whether a database has users, so that a restore would replace something. */
export async function hasUsers(url: string): Promise<boolean> {
  const { applied } = await inspectDatabase(url)
  if (applied.length === 0) return false
  const db = await connect(url)
  try {
    return (await db.selectFrom('users').select('id').limit(1).execute()).length > 0
  } finally {
    await db.destroy()
  }
}

/** All reads are in one transaction that sees the database as it was at its first read. */
async function copyFromServer(source: Database, path: string, migration: string): Promise<void> {
  await withFile(path, async (snapshot) => {
    await migrateTo(snapshot, migration)
    const tables = parentsFirst(await readTables(snapshot))
    const reading = source.transaction().setIsolationLevel('repeatable read')
    await reading.execute(async (transaction) => {
      await runTransaction(snapshot, async (writing) => {
        for (const { name } of tables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(writing)
        for (const table of tables) await copyTable(transaction, writing, table)
      })
    })
  })
}

/** Copies the rows of a table, in pages by its primary key. */
async function copyTable(from: Database, to: Database, { name, columns, primaryKey }: Table): Promise<void> {
  const keys = sql.join(primaryKey.map((column) => sql.id(column)))
  const fields = sql.join(columns.map((column) => sql.id(column)))
  let last: Row | undefined
  for (;;) {
    const after = last ? sql`where (${keys}) > (${sql.join(primaryKey.map((column) => last?.[column]))})` : sql``
    const { rows } = await sql<Row>`
      select ${fields} from ${sql.table(name)} ${after} order by ${keys} limit ${sql.lit(pageRows)}`.execute(from)
    for (let at = 0; at < rows.length; at += insertRows) {
      const values = rows
        .slice(at, at + insertRows)
        .map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
      await sql`insert into ${sql.table(name)} (${fields}) values ${sql.join(values)}`.execute(to)
    }
    last = rows.at(-1)
    if (rows.length < pageRows) return
  }
}

/** The tables of an SQLite file, except those of the migrations. */
async function readTables(snapshot: Database): Promise<Table[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema
    where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'kysely\\_%' escape '\\'
    order by name`.execute(snapshot)
  return await Promise.all(
    rows.map(async ({ name }) => {
      const { rows: columns } = await sql<{ name: string; pk: number }>`
        select name, pk from pragma_table_info(${name})`.execute(snapshot)
      const { rows: foreign } = await sql<{ table: string }>`
        select distinct "table" from pragma_foreign_key_list(${name})`.execute(snapshot)
      const primaryKey = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
      return {
        name,
        columns: columns.map((column) => column.name),
        primaryKey: primaryKey.map((column) => column.name),
        parents: foreign.map(({ table }) => table),
      }
    }),
  )
}

/** Orders tables so that each one comes after those that it refers to. */
function parentsFirst(tables: readonly Table[]): Table[] {
  const ordered = new Map<string, Table>()
  const add = (table: Table) => {
    if (ordered.has(table.name)) return
    for (const parent of tables) if (table.parents.includes(parent.name)) add(parent)
    ordered.set(table.name, table)
  }
  for (const table of tables) add(table)
  return [...ordered.values()]
}

async function withFile(path: string, work: (snapshot: Database) => Promise<void>): Promise<void> {
  const snapshot = await connect(`sqlite:${path}`, { noTimeouts: true })
  try {
    await work(snapshot)
  } finally {
    await snapshot.destroy()
  }
}

function isServer(db: Database): boolean {
  const { adapter } = db.getExecutor()
  return adapter instanceof PostgresAdapter || adapter instanceof MysqlAdapter
}
