import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { describe, expect } from 'vitest'
import { test } from '../testing/databases.ts'
import { openDatabase } from './database.ts'
import { isUniqueViolation, mapUniqueViolation, uniqueIndexes } from './errors.ts'
import { matchesWildcard } from './expressions.ts'
import { insertIfAbsent, lock, nextId, runTransaction, upsert } from './rows.ts'
import type { Database } from './schema.ts'
import { nameColumns } from './server-name.ts'

const user = { username: 'a', username_key: 'a', email: 'a', email_key: 'a', password: '', created_at: 0 }
const server = { node_id: 0, ip: '', port: 0, type: 'x', created_at: 0 }

const addServer = (db: Database, id: string, name: string) =>
  db
    .insertInto('servers')
    .values({ ...server, id, ...nameColumns(name) })
    .execute()

describe('opening', () => {
  test('data survives a restart', async ({ db, url }) => {
    await db.insertInto('settings').values({ key: 'a', value: 'b' }).execute()

    const second = await openDatabase(url)

    expect(await second.selectFrom('settings').selectAll().execute()).toEqual([{ key: 'a', value: 'b' }])
    await second.destroy()
  })

  test('an embedded database is not readable by other users', async ({ folder }) => {
    const path = join(folder, 'below', 'panel.db')
    const db = await openDatabase(`sqlite:${path}`)

    expect((await stat(path)).mode & 0o077).toBe(0)
    await db.destroy()
  })

  test.for(['postgres://user:secret@host', 'mysql://x', 'oracle://user:secret@host/db', 'panel.db', '', 'sqlite:'])(
    'the database %j is rejected, without its password',
    async (url) => {
      const opening = openDatabase(url)

      await expect(opening).rejects.toThrow(/^The database must be 'sqlite:<path>', /)
      await expect(opening).rejects.not.toThrow(/secret/)
    },
  )
})

describe('rows', () => {
  test('unique violations are mapped by the name of the index', async ({ db }) => {
    const insert = (id: string, name: string) =>
      mapUniqueViolation('servers_name_uq', 'ErrDuplicateServerName', () => addServer(db, id, name))
    await insert('00000001', 'lobby')

    await expect(insert('00000002', 'Lobby')).rejects.toMatchObject({ code: 'ErrDuplicateServerName' })
    const sameId = await insert('00000001', 'arena').catch((error: unknown) => error)
    expect(isUniqueViolation(sameId)).toBe(true)
    expect(isUniqueViolation(sameId, 'servers_name_uq')).toBe(false)
  })

  test('a value that looks like an index name is not mapped', async ({ db }) => {
    const insert = (id: number, name: string) =>
      db
        .insertInto('users')
        .values({ ...user, id, username_key: name, email_key: `${id}` })
        .execute()
    await insert(1, 'users_email_uq')

    const failure = await insert(2, 'users_email_uq').catch((error: unknown) => error)

    expect([isUniqueViolation(failure, 'users_username_uq'), isUniqueViolation(failure, 'users_email_uq')]).toEqual([
      true,
      false,
    ])
  })

  test('every unique index has a name that can be mapped', async () => {
    const db = await openDatabase('sqlite::memory:')

    const { rows } = await sql<{ name: string; table: string; columns: string }>`
      select i.name, i.tbl_name as "table", (select group_concat(name) from pragma_index_info(i.name)) as columns
      from sqlite_master i where i.type = 'index' and i.sql like '%unique%' order by i.name`.execute(db)

    const inDatabase = rows.map(({ name, table, columns }) => [
      name,
      columns
        .split(',')
        .map((column) => `${table}.${column}`)
        .join(', '),
    ])
    expect(Object.fromEntries(inDatabase)).toEqual(uniqueIndexes)
    await db.destroy()
  })

  test('the values of a failed statement are not logged', async ({ db }) => {
    const failure = await db
      .insertInto('users')
      .values({ ...user, id: 1, username: 'x'.repeat(50), email: sql<string>`null`, password: 'the hash' })
      .execute()
      .catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(Error)
    expect(JSON.stringify(pino.stdSerializers.err(failure as Error))).not.toMatch(/the hash/)
  })

  test('a reference to a missing row is rejected', async ({ db }) => {
    const granting = db.insertInto('user_scopes').values({ user_id: 7, scope: 'x' }).execute()

    await expect(granting).rejects.toThrow(/foreign key/i)
  })

  test('deleting a user deletes sessions, scopes, settings and permissions', async ({ db }) => {
    await db
      .insertInto('users')
      .values({ id: 1, ...user })
      .execute()
    await db.insertInto('sessions').values({ id: 'x', user_id: 1, created_at: 0, used_at: 0, expires_at: 9 }).execute()
    await db.insertInto('user_scopes').values({ user_id: 1, scope: 'servers.admin' }).execute()

    await db.deleteFrom('users').where('id', '=', 1).execute()

    expect(await db.selectFrom('sessions').selectAll().execute()).toEqual([])
    expect(await db.selectFrom('user_scopes').selectAll().execute()).toEqual([])
  })

  test('insertIfAbsent inserts a row unless it exists, also within a transaction, which continues', async ({ db }) => {
    const row = { key: 'a', value: 'first' }

    const added = await runTransaction(db, async (transaction) => [
      await insertIfAbsent(transaction, 'settings', row),
      await insertIfAbsent(transaction, 'settings', { ...row, value: 'second' }),
      (await transaction.selectFrom('settings').select('value').executeTakeFirstOrThrow()).value,
    ])

    expect(added).toEqual([true, false, 'first'])
  })

  test('upsert inserts or updates a row', async ({ db }) => {
    const put = (value: string) => upsert(db, 'settings', ['key'], { key: 'a', value })

    await put('first')
    await put('second')
    await put('second')

    expect(await db.selectFrom('settings').selectAll().execute()).toEqual([{ key: 'a', value: 'second' }])
  })

  test('an update returns the number of matched rows, also when nothing changed', async ({ db }) => {
    await upsert(db, 'settings', ['key'], { key: 'a', value: 'same' })

    const { numUpdatedRows } = await db.updateTable('settings').set({ value: 'same' }).executeTakeFirstOrThrow()

    expect(numUpdatedRows).toBe(1n)
  })

  test('an ID is never reused, and IDs begin with one', async ({ db }) => {
    const next = () => runTransaction(db, (transaction) => nextId(transaction, 'users'))

    const numbers = await Promise.all(Array.from({ length: 10 }, next))

    expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('the holder of a lock sees what the previous one committed', async ({ db }) => {
    const takeTheOnlyPlace = (name: string) =>
      runTransaction(db, async (transaction) => {
        await lock(transaction, 'places')
        const existing = await transaction.selectFrom('settings').select('key').execute()
        if (existing.length > 0) return false
        await transaction.insertInto('settings').values({ key: name, value: '' }).execute()
        return true
      })

    const got = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(takeTheOnlyPlace))

    expect(got.filter(Boolean)).toHaveLength(1)
  })

  test('conflicting transactions are retried until they succeed', async ({ db }) => {
    for (const key of ['a', 'b']) await upsert(db, 'settings', ['key'], { key, value: '' })
    const touch = (...keys: string[]) =>
      runTransaction(db, async (transaction) => {
        for (const key of keys) {
          await transaction
            .updateTable('settings')
            .set(({ ref }) => ({ value: sql<string>`concat(${ref('value')}, 'x')` }))
            .where('key', '=', key)
            .execute()
        }
      })

    await Promise.all(Array.from({ length: 4 }, (_, at) => (at % 2 ? touch('a', 'b') : touch('b', 'a'))))

    const rows = await db.selectFrom('settings').select('value').execute()
    expect(rows.map(({ value }) => value)).toEqual(['xxxx', 'xxxx'])
  })
})

describe('values', () => {
  test('text of any language and length is stored unchanged', async ({ db }) => {
    const value = `${'ñ漢🏰'.repeat(40_000)} \\ ' " % \n\t`

    await db.insertInto('settings').values({ key: 'a', value }).execute()

    const row = await db.selectFrom('settings').select('value').executeTakeFirstOrThrow()
    expect(row.value === value).toBe(true)
  })

  test('times, counts and sums are numbers', async ({ db }) => {
    const at = Date.UTC(2100, 0, 1)
    await db
      .insertInto('setup_codes')
      .values({ id: 2 ** 53 - 1, hash: '', created_at: at })
      .execute()

    const row = await db
      .selectFrom('setup_codes')
      .select(({ fn }) => ['id', 'created_at', fn.countAll().as('rows'), fn.sum('created_at').as('sum')])
      .groupBy(['id', 'created_at'])
      .executeTakeFirst()

    expect(row).toEqual({ id: 2 ** 53 - 1, created_at: at, rows: 1, sum: at })
  })

  test('an ID beyond the range of integers is not found and does not fail', async ({ db }) => {
    const row = await db
      .selectFrom('users')
      .select('id')
      .where('id', '=', 2 ** 53 - 1)
      .executeTakeFirst()

    expect(row).toBeUndefined()
  })

  test('letters that differ in case or accent are different', async ({ db }) => {
    for (const key of ['a', 'A', 'ä']) await db.insertInto('settings').values({ key, value: '' }).execute()

    const found = await db.selectFrom('settings').select('key').where('key', '=', 'a').execute()

    expect(found).toEqual([{ key: 'a' }])
  })

  test('a wildcard filter is case-insensitive, and only the star is special', async ({ db }) => {
    const names = ['Lobby', 'lob_y', 'a%b', 'a!b', 'a\\b', 'arena']
    for (const [at, name] of names.entries()) await addServer(db, `0000000${at}`, name)
    const found = async (filter: string) => {
      const rows = await db
        .selectFrom('servers')
        .select('name')
        .where(matchesWildcard('name', filter))
        .orderBy('id')
        .execute()
      return rows.map(({ name }) => name)
    }

    expect(await found('LOB*')).toEqual(['Lobby', 'lob_y'])
    expect(await found('*_*')).toEqual(['lob_y'])
    expect(await found('*%*')).toEqual(['a%b'])
    expect(await found('*!*')).toEqual(['a!b'])
    expect(await found('*\\*')).toEqual(['a\\b'])
    expect(await found('lob')).toEqual([])
  })

  test('names are sorted as people sort them, in the same order by every database', async ({ db }) => {
    const names = ['a5', 'a105', 'A15', 'b', 'a', 'Älter', 'älter 2', 'z_1', 'z-1', 'Жук', 'ёж', '世界', 'a015 b']
    for (const [at, name] of names.entries()) await addServer(db, at.toString(16).padStart(8, '0'), name)

    const rows = await db.selectFrom('servers').select('name').orderBy('name_sort').orderBy('name_key').execute()

    expect(rows.map(({ name }) => name)).toEqual([
      ...['a', 'a5', 'A15', 'a015 b', 'a105', 'Älter', 'älter 2', 'b', 'z-1', 'z_1', 'ёж', 'Жук', '世界'],
    ])
  })

  test('a name of 100 characters of any script is stored', async ({ db }) => {
    for (const [at, name] of ['字'.repeat(100), 'a1'.repeat(50), 'ﷺ'.repeat(100)].entries()) {
      await addServer(db, `0000000${at}`, name)
    }

    expect(await db.selectFrom('servers').select('name').execute()).toHaveLength(3)
  })
})
