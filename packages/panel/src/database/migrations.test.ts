import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect } from 'vitest'
import { bareDatabase, test } from '../testing/databases.ts'
import { backUp } from './backups.ts'
import { connect, migrateDatabase, openDatabase } from './database.ts'
import { isUniqueViolation } from './errors.ts'
import { addColumn, createIndex, createTable, varchar } from './migrations/helpers/columns.ts'
import { appliedMigrations, migrate, migrations, pendingMigrations } from './migrations.ts'
import type { Database } from './schema.ts'
import { nameColumns } from './server-name.ts'

const all = Object.keys(migrations)
const program = fileURLToPath(new URL('../testing/open-database.ts', import.meta.url))

/** Opens a database in a separate process, and resolves to its output. */
async function migrateInProcess(url: string): Promise<string> {
  const child = spawn(process.execPath, [program, url], { stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: Buffer[] = []
  for (const output of [child.stdout, child.stderr]) output.on('data', (part: Buffer) => chunks.push(part))
  await once(child, 'close')
  return Buffer.concat(chunks).toString().trim()
}

/** A migration that adds a table, and one that fails after a change. */
const adding: Migration = { up: (db) => createTable(db, 'halls').addColumn('name', varchar(40)).execute() }
const failing: Migration = {
  async up(db: Kysely<unknown>) {
    await createTable(db, 'rooms').addColumn('name', varchar(40)).execute()
    await createIndex(db, 'rooms_name_ix', 'rooms', ['name'])
    await addColumn(db, 'halls', 'size', 'integer')
    throw new Error('out of bricks')
  },
}
const repaired: Migration = { up: (db) => failing.up(db).catch(() => {}) }

/** The migrations before one. */
const before = (name: string): Readonly<Record<string, Migration>> =>
  Object.fromEntries(Object.entries(migrations).slice(0, all.indexOf(name)))

const oldServer = { node_id: 0, ip: '', port: 0, type: '', created_at: 0 }

/** Inserts servers in an old database, whose tables have other columns than the types. */
async function insertServers(db: Database, names: readonly string[]): Promise<void> {
  for (const [at, name] of names.entries()) {
    const id = at.toString(16).padStart(8, '0')
    const { node_id, ip, port, type, created_at } = oldServer
    await sql`insert into servers (id, name, node_id, ip, port, type, created_at)
      values (${id}, ${name}, ${node_id}, ${ip}, ${port}, ${type}, ${created_at})`.execute(db)
  }
}

describe('bringing a database up to date', () => {
  test('programs that start concurrently on a new database all find it migrated', async ({ folder }) => {
    const url = await bareDatabase(folder)

    const outputs = await Promise.all([url, url, url, url, url].map(migrateInProcess))

    expect(outputs).toEqual(['open', 'open', 'open', 'open', 'open'])
    const db = await connect(url)
    expect((await appliedMigrations(db)).map(({ name }) => name)).toEqual(all)
    await db.destroy()
  })

  test('a migrated database is not changed', async ({ url, folder }) => {
    await (await openDatabase(url)).destroy()

    expect((await migrateDatabase(url)).steps).toEqual([])
    expect((await readdir(folder)).filter((name) => name.includes('backup'))).toEqual([])
  })

  test('applied and pending migrations can be listed', async ({ folder }) => {
    const db = await connect(await bareDatabase(folder))
    expect([await appliedMigrations(db), await pendingMigrations(db)]).toEqual([[], all])

    await migrate(db)

    expect(await pendingMigrations(db)).toEqual([])
    expect(await appliedMigrations(db)).toMatchObject(all.map((name) => ({ name, timestamp: expect.any(String) })))
    await db.destroy()
  })

  test('a failed migration is reported, the previous version still starts, and a retry succeeds', async ({ db }) => {
    const next = { ...migrations, '9001-halls': adding, '9002-rooms': failing }

    const failed = migrate(db, { known: next, copy: '/srv/panel.db.backup-1' })
    await expect(failed).rejects.toThrow(
      "The database could not be migrated to '9002-rooms': out of bricks\n" +
        'The previous version of Innkeeper still works with it: to go back, install that version and start it. ' +
        'The backup is /srv/panel.db.backup-1.',
    )

    expect(await pendingMigrations(db)).toEqual([])
    await db.insertInto('settings').values({ key: 'a', value: 'b' }).execute()
    expect(await migrate(db, { known: { ...next, '9002-rooms': repaired } })).toEqual(['9001-halls', '9002-rooms'])
    for (const table of ['rooms', 'halls']) await db.schema.dropTable(table).execute()
    await sql`delete from kysely_migration where name like '900%'`.execute(db)
  })

  test('a database of a newer version is rejected without changes', async ({ db, url }) => {
    await sql`insert into kysely_migration (name, timestamp) values ('9001-halls', '2100-01-01')`.execute(db)

    await expect(openDatabase(url)).rejects.toThrow("migrated to '9001-halls' by a newer Innkeeper")

    await sql`delete from kysely_migration where name = '9001-halls'`.execute(db)
  })
})

describe('existing accounts and settings', () => {
  test('keep their permissions, are confirmed when they have any, and registration stays enabled', async ({
    folder,
  }) => {
    const db = await connect(await bareDatabase(folder))
    await migrate(db, { known: before('0010-confirmed-emails') })
    await db.insertInto('counters').values({ name: 'users', value: 3 }).execute()
    for (const [id, name] of ['admin', 'player', 'stranger'].entries()) {
      await sql`
        insert into users (id, username, username_key, email, email_key, password, created_at)
        values (${id}, ${name}, ${name}, ${name}, ${name}, '', 7)
      `.execute(db)
    }
    await db.insertInto('user_scopes').values({ user_id: 0, scope: 'servers.admin' }).execute()
    await insertServers(db, ['Lobby'])
    await db.insertInto('server_users').values({ server_id: '00000000', user_id: 1, rights: 'startServer' }).execute()

    await migrate(db)

    const users = await db.selectFrom('users').select(['username', 'email_confirmed_at']).orderBy('id').execute()
    expect(users.map(({ email_confirmed_at }) => email_confirmed_at)).toEqual([7, 7, null])
    const rows = await db.selectFrom('server_users').select('rights').execute()
    expect(rows).toEqual([{ rights: 'startServer' }])
    expect(await db.selectFrom('settings').selectAll().execute()).toEqual([
      { key: 'panel.registrationEnabled', value: 'true' },
    ])
    await db.destroy()
  })
})

describe('existing servers', () => {
  test('keep their names, and get keys by which they are unique and sorted, also when the step is repeated', async ({
    folder,
  }) => {
    const db = await connect(await bareDatabase(folder))
    const step = '0027-server-name-order'
    await migrate(db, { known: before(step) })
    const names = ['a15', 'a5', 'Lobby', 'lobby', 'a105']
    await insertServers(db, names)

    await migrate(db, { known: { ...before(step), [step]: migrations[step] } })
    if (!db.getExecutor().adapter.supportsTransactionalDdl) await migrations[step].up(db as unknown as Kysely<unknown>)

    const rows = await db.selectFrom('servers').select(['name', 'name_key']).orderBy('name_sort').execute()
    expect(rows.map(({ name }) => name)).toEqual(['a5', 'a15', 'a105', 'Lobby', 'lobby'])
    expect(new Set(rows.map(({ name_key }) => name_key)).size).toBe(names.length)
    const again = { id: 'f0000000', ...nameColumns('A5'), ...oldServer }
    const error = await db
      .insertInto('servers')
      .values({ ...again, template: null })
      .execute()
      .catch((cause: unknown) => cause)
    expect(isUniqueViolation(error, 'servers_name_uq')).toBe(true)
    await db.destroy()
  })
})

describe('an embedded database', () => {
  /** A database with the first migration only. */
  async function old(folder: string): Promise<string> {
    const url = `sqlite:${join(folder, 'old.db')}`
    const db = await connect(url)
    await migrate(db, { known: before(all[1] ?? '') })
    await db.insertInto('settings').values({ key: 'a', value: 'kept' }).execute()
    await db.destroy()
    return url
  }

  test('is copied before a migration, readable by its owner only', async ({ folder }) => {
    const url = await old(folder)

    await (await openDatabase(url)).destroy()

    const [copy = '', ...more] = (await readdir(folder)).filter((name) => name.startsWith('old.db.backup-'))
    expect(more).toEqual([])
    expect((await stat(join(folder, copy))).mode & 0o077).toBe(0)
    const db = await connect(`sqlite:${join(folder, copy)}`)
    expect((await appliedMigrations(db)).map(({ name }) => name)).toEqual(all.slice(0, 1))
    expect(await db.selectFrom('settings').select('value').execute()).toEqual([{ value: 'kept' }])
    await db.destroy()
  })

  test('keeps the last three copies', async ({ folder }) => {
    const db = await connect(`sqlite:${join(folder, 'panel.db')}`)
    const at = (day: number) => new Date(Date.UTC(2026, 0, day))

    for (const day of [4, 1, 3, 2]) await backUp(db, join(folder, 'panel.db'), at(day))

    const copies = (await readdir(folder)).filter((name) => name.includes('.backup-')).sort()
    expect(copies.map((name) => name.slice('panel.db.backup-'.length, -'T000000.000Z'.length))).toEqual([
      '20260102',
      '20260103',
      '20260104',
    ])
    await db.destroy()
  })

  test('is copied to separate files by two programs in the same millisecond', async ({ folder }) => {
    const path = join(folder, 'panel.db')
    const db = await connect(`sqlite:${path}`)
    const now = new Date(Date.UTC(2026, 0, 1))

    const copies = [await backUp(db, path, now), await backUp(db, path, now)]

    expect(new Set(copies).size).toBe(2)
    expect((await Promise.all(copies.map((copy) => stat(copy)))).every(({ size }) => size > 0)).toBe(true)
    await db.destroy()
  })

  test('can be migrated by several programs that open it concurrently', async ({ folder }) => {
    const url = await old(folder)

    const outputs = await Promise.all([url, url, url].map(migrateInProcess))

    expect(outputs).toEqual(['open', 'open', 'open'])
  })
})
