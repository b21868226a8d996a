import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { test } from '../testing/databases.ts'
import { connect } from './database.ts'
import { MigrationLease } from './migration-lock.ts'
import type { Database } from './schema.ts'

const row = { lockTable: 'kysely_migration_lock', lockRowId: 'migration_lock' }
const times = { heartbeatMs: 200, leaseMs: 300 }

async function readHolder(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ holder: number }>`
    select is_locked as holder from kysely_migration_lock where id = ${row.lockRowId}`.execute(db)
  return rows[0]?.holder
}

test('programs migrate a cluster one at a time, in turn', async ({ db, url }) => {
  let working = 0
  const turns = [1, 2, 3].map(async () => {
    const lease = await MigrationLease.acquire(await connect(url), row, { ...times, leaseMs: 60_000 })
    working++
    expect(working).toBe(1)
    await sql`select 1`.execute(db)
    working--
    await lease.end()
  })

  await Promise.all(turns)

  expect(await readHolder(db)).toBe(0)
})

test('the holder of the lock sends heartbeats', async ({ db, url }) => {
  const lease = await MigrationLease.acquire(await connect(url), row, times)
  const first = await readHolder(db)

  await vi.waitFor(async () => expect(await readHolder(db)).not.toBe(first), 10_000)

  await lease.end()
  expect(await readHolder(db)).toBe(0)
})

test('the lock of a crashed program is taken over, and the program does not get it back', async ({ db, url }) => {
  const dead = await MigrationLease.acquire(await connect(url), row, { ...times, heartbeatMs: 60_000 })

  const next = await MigrationLease.acquire(await connect(url), row, times)

  await dead.end()
  expect(await readHolder(db)).not.toBe(0)
  await next.end()
  expect(await readHolder(db)).toBe(0)
})
