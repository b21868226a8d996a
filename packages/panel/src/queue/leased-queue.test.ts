import { expect } from 'vitest'
import { DatabaseNotAvailable } from '../database/errors.ts'
import type { Database, MailRow } from '../database/schema.ts'
import { test } from '../testing/databases.ts'
import { addMail, failingAt } from '../testing/mail-queue.ts'
import { LeasedQueue } from './leased-queue.ts'

const mails = (db: Database) => db.selectFrom('mails').selectAll().orderBy('next_at').execute()

const sending = ({ tries: attempts }: MailRow) => ({ state: 'sending', tries: attempts + 1, next_at: 2_000 })

test('of two panels that read the same rows, each row is leased by one', async ({ db }) => {
  for (let at = 0; at < 10; at++) await addMail(db, { next_at: at, tries: at })
  const due = await mails(db)

  const acquired = await Promise.all([1, 2].map(() => new LeasedQueue(db, 'mails').acquire(due, sending)))

  const leases = new Map(acquired.flat().map(({ id, lease }) => [id, lease]))
  expect([acquired.flat().length, leases.size]).toEqual([10, 10])
  for (const row of await mails(db)) expect(row.lease).toBe(leases.get(row.id))
  expect(
    acquired
      .flat()
      .map(({ tries: attempts }) => attempts)
      .toSorted((a, b) => a - b),
  ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('a row that was changed since it was read is not leased', async ({ db }) => {
  const row = await addMail(db)
  await db.updateTable('mails').set({ next_at: 1_500 }).execute()

  expect(await new LeasedQueue(db, 'mails').acquire([row], sending)).toEqual([])

  expect(await mails(db)).toMatchObject([{ state: 'waiting', tries: 0, lease: '' }])
})

test('the panel that had a lease before another one took it finds no row', async ({ db }) => {
  const queue = new LeasedQueue(db, 'clones')
  const clone = { server_id: 'c0ffee00', source_id: 'deadbeef', node_id: 0, user_id: 1, state: 'copy', updated_at: 0 }
  await db
    .insertInto('clones')
    .values({ ...clone, lease: null })
    .execute()
  const acquire = async () => {
    const rows = await db.selectFrom('clones').selectAll().execute()
    return (await queue.acquire(rows, () => ({ updated_at: 5 })))[0]?.lease ?? ''
  }

  const [former, current] = [await acquire(), await acquire()]
  const update = (lease: string) => queue.updateLeased('c0ffee00', lease).set({ state: 'done' }).executeTakeFirst()

  expect((await update(former)).numUpdatedRows).toBe(0n)
  expect((await update(current)).numUpdatedRows).toBe(1n)
})

test('rows acquired before the database fails are returned; if there are none, the error is thrown', async ({ db }) => {
  const rows = [await addMail(db, { next_at: 1 }), await addMail(db, { next_at: 2 })]

  const acquired = await new LeasedQueue(failingAt(db, 2), 'mails').acquire(rows, sending)

  expect(acquired.map(({ id }) => id)).toEqual([rows[0]?.id])
  await expect(new LeasedQueue(failingAt(db, 1), 'mails').acquire(rows, sending)).rejects.toThrow(DatabaseNotAvailable)
})
