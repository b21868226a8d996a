import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { bareDatabase, test } from '../testing/databases.ts'
import { connect, inspectDatabase, openDatabase } from './database.ts'
import { migrateTo } from './migrations.ts'
import type { Database } from './schema.ts'
import { nameColumns } from './server-name.ts'
import { hasUsers, prepareSnapshot, restoreSnapshot, snapshotDatabase } from './snapshot.ts'

const day = 86_400_000
const mail = {
  kind: 'test',
  recipient: 'mara@example.net',
  recipient_key: 'mara@example.net',
  sender_id: 1,
  language: 'en_US',
  facts: '{}',
  tries: 1,
  created_at: 5,
  next_at: 5,
  ended_at: null,
  lease: '',
  last_error: '',
}

/** A user with a server and a session, 450 entries of activity, and text that databases treat differently. */
async function fill(db: Database): Promise<void> {
  const user = {
    id: 1,
    username: 'Mara',
    username_key: 'mara',
    email: 'mara@example.net',
    email_key: 'mara@example.net',
  }
  const words = { password: '$argon2id$ Ωß\\\'"', created_at: 1_900_000_000_000, email_confirmed_at: null }
  await db
    .insertInto('users')
    .values({ ...user, ...words })
    .execute()
  await db
    .insertInto('user_scopes')
    .values([{ user_id: 1, scope: 'servers.admin' }])
    .execute()
  const session = { id: 'x', user_id: 1, created_at: 1, used_at: 1, expires_at: 9 * day }
  await db.insertInto('sessions').values(session).execute()
  const names = nameColumns('lobby')
  const server = { id: '0000000a', ...names, node_id: 0, ip: '', port: 1, type: 'x', created_at: 3, template: 'x' }
  await db.insertInto('servers').values(server).execute()
  await db.insertInto('server_users').values({ server_id: '0000000a', user_id: 1, rights: 'viewServer' }).execute()
  await db
    .insertInto('server_tags')
    .values(['a', 'A ', 'ä', '😀'].map((tag, at) => ({ server_id: '0000000a', tag_key: `${at}${tag}`, tag })))
    .execute()
  const theme = { name: 'dusk', archive: 'A'.repeat(300_000), bytes: 200_000, left_out: '[]', updated_at: 7 }
  await db.insertInto('themes').values(theme).execute()
  await db.insertInto('counters').values({ name: 'users', value: 41 }).execute()
  await db
    .insertInto('mails')
    .values([
      { ...mail, id: 'sent', state: 'sent' },
      { ...mail, id: 'waiting', state: 'waiting' },
    ])
    .execute()
  const entry = { user_id: 1, username: 'Mara', client_id: '', action: 'x', server_id: null, target: '', address: '' }
  const entries = Array.from({ length: 450 }, (_, at) => ({
    ...entry,
    id: `${at}`.padStart(8, '0'),
    at,
    result: 'done',
    code: '',
    count: at % 2 === 0 ? null : at,
  }))
  await db.insertInto('activity').values(entries).execute()
}

/** All rows of all tables, except those of the migrations. */
async function readContent(db: Database): Promise<Record<string, string[]>> {
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  const content: Record<string, string[]> = {}
  for (const name of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    const texts = rows.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    content[name] = texts.toSorted()
  }
  return content
}

describe('a snapshot', () => {
  test('restores all rows to an empty database, except sessions and mails that wait', async ({ db, url, folder }) => {
    await fill(db)
    const path = join(folder, 'snapshot.db')
    const target = await bareDatabase(folder)
    expect(await hasUsers(target)).toBe(false)

    await snapshotDatabase(url, path)
    await prepareSnapshot(path)
    await restoreSnapshot(target, path)

    const before = await readContent(db)
    const restored = await openDatabase(target)
    const after = await readContent(restored)
    await restored.destroy()
    expect(before.sessions).toHaveLength(1)
    expect(after).toEqual({ ...before, sessions: [], mails: before.mails?.filter((row) => row.includes('"sent"')) })
    expect(await hasUsers(target)).toBe(true)
  })

  test('restores to an open database, and replaces what changed since', async ({ db, url, folder }) => {
    await fill(db)
    const path = join(folder, 'snapshot.db')
    await snapshotDatabase(url, path)
    const before = await readContent(db)
    await db.deleteFrom('servers').execute()
    await db.updateTable('users').set({ username: 'Nora', username_key: 'nora' }).execute()
    await db.insertInto('settings').values({ key: 'new', value: 'x' }).execute()

    await prepareSnapshot(path)
    await restoreSnapshot(url, path)

    const { sessions, mails, ...after } = await readContent(db)
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name in after)))
    expect([sessions, mails?.length]).toEqual([[], 1])
  })

  test('of an older version is migrated before it is restored', async ({ folder, url, db }) => {
    const old = `sqlite:${join(folder, 'old.db')}`
    const oldDatabase = await connect(old)
    await migrateTo(oldDatabase, '0005-nodes')
    await sql`insert into users (id, username, username_key, email, email_key, password, created_at)
      values (1, 'Mara', 'mara', 'm@x', 'm@x', '', 5)`.execute(oldDatabase)
    await sql`insert into user_scopes (user_id, scope) values (1, 'servers.admin')`.execute(oldDatabase)
    await oldDatabase.destroy()
    const path = join(folder, 'snapshot.db')

    await snapshotDatabase(old, path)
    const { applied } = await inspectDatabase(`sqlite:${path}`)
    await prepareSnapshot(path)
    await restoreSnapshot(url, path)

    expect(applied.at(-1)?.name).toBe('0005-nodes')
    expect(await db.selectFrom('users').select(['username', 'email_confirmed_at']).execute()).toEqual([
      { username: 'Mara', email_confirmed_at: 5 },
    ])
  })

  test('of a newer version, or no snapshot at all, is refused', async ({ folder }) => {
    const newer = join(folder, 'newer.db')
    const db = await openDatabase(`sqlite:${newer}`)
    await sql`insert into kysely_migration (name, timestamp) values ('9001-halls', '')`.execute(db)
    await db.destroy()
    const [text, empty] = [join(folder, 'text.db'), join(folder, 'empty.db')]
    await writeFile(text, 'Dear Mara, '.repeat(100))
    await writeFile(empty, '')

    await expect(prepareSnapshot(newer)).rejects.toThrow(/cannot be restored: .*'9001-halls' by a newer Innkeeper/)
    await expect(prepareSnapshot(text)).rejects.toThrow(/cannot be restored: file is not a database/)
    await expect(prepareSnapshot(empty)).rejects.toThrow(/cannot be restored: It has no tables of Innkeeper/)
  })
})
