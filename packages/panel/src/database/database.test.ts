import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { openDatabase } from './database.ts'
import { unique } from './failures.ts'
import { atomically, nextNumber } from './rows.ts'

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-database-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

test('what was kept is there after another start, and nobody else on the machine can read it', async ({ folder }) => {
  const path = join(folder, 'below', 'panel.db')
  const first = await openDatabase(`sqlite:${path}`)
  await first.insertInto('settings').values({ key: 'a', value: 'b' }).execute()
  await first.destroy()

  const second = await openDatabase(`sqlite:${path}`)

  expect(await second.selectFrom('settings').selectAll().execute()).toEqual([{ key: 'a', value: 'b' }])
  expect((await stat(path)).mode & 0o077).toBe(0)
  await second.destroy()
})

test.for(['postgres://user:secret@host', 'mysql://x', 'oracle://user:secret@host/db', 'panel.db', '', 'sqlite:'])(
  'the database %j is refused, without its password',
  async (url) => {
    const opening = openDatabase(url)

    await expect(opening).rejects.toThrow(/^The database must be 'sqlite:<path>', /)
    await expect(opening).rejects.not.toThrow(/secret/)
  },
)

test('the database judges uniqueness by the name of its index', async () => {
  const db = await openDatabase('sqlite::memory:')
  const row = { node_id: 0, ip: '', port: 0, type: 'x', created_at: 0 }
  const insert = (id: string, name: string) =>
    unique('servers_name_uq', 'ErrDuplicateServerName', () =>
      db
        .insertInto('servers')
        .values({ ...row, id, name })
        .execute(),
    )
  await insert('00000001', 'lobby')

  await expect(insert('00000002', 'lobby')).rejects.toMatchObject({ code: 'ErrDuplicateServerName' })
  await expect(insert('00000001', 'arena')).rejects.toMatchObject({
    code: expect.stringContaining('SQLITE_CONSTRAINT'),
  })
  await db.destroy()
})

test('who is deleted takes sessions, scopes, settings and rights along', async () => {
  const db = await openDatabase('sqlite::memory:')
  const user = { username: 'a', username_key: 'a', email: 'a', email_key: 'a', password: '', created_at: 0 }
  await db
    .insertInto('users')
    .values({ id: 1, ...user })
    .execute()
  await db.insertInto('sessions').values({ id: 'x', user_id: 1, created_at: 0, used_at: 0, expires_at: 9 }).execute()
  await db.insertInto('user_scopes').values({ user_id: 1, scope: 'servers.admin' }).execute()

  await db.deleteFrom('users').where('id', '=', 1).execute()

  expect(await db.selectFrom('sessions').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('user_scopes').selectAll().execute()).toEqual([])
  await db.destroy()
})

test('a number is never given twice', async () => {
  const db = await openDatabase('sqlite::memory:')
  const next = () => atomically(db, (transaction) => nextNumber(transaction, 'users'))

  expect(await Promise.all([next(), next(), next()])).toEqual([1, 2, 3])
  await db.destroy()
})
