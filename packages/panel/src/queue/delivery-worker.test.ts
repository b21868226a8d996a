import type { DeliveryResult } from '@innkeeper/contract/alerts/delivery-error'
import pino from 'pino'
import { expect, vi } from 'vitest'
import { DatabaseNotAvailable } from '../database/errors.ts'
import type { Database, MailRow } from '../database/schema.ts'
import { mailWorker } from '../mail/worker.ts'
import { test } from '../testing/databases.ts'
import { addMail, failingAt } from '../testing/mail-queue.ts'

const day = 24 * 60 * 60 * 1000
const delivered: DeliveryResult = { delivered: true, answer: '250 queued', isFinal: true }
const states = async (db: Database) =>
  (await db.selectFrom('mails').select(['recipient', 'state', 'tries']).orderBy('recipient').execute()).map(
    ({ recipient, state, tries: attempts }) => [recipient, state, attempts],
  )

function workerOn(db: Database, fields: Partial<Parameters<typeof mailWorker>[0]> = {}) {
  const log = pino({ level: 'silent' })
  const worker = mailWorker({ db, post: async () => delivered, now: Date.now, ...fields, log })
  return { debug: vi.spyOn(log, 'debug'), error: vi.spyOn(log, 'error'), worker }
}

test('an error of one row is reported when the others of its batch have been sent', async ({ db }) => {
  for (const recipient of ['a', 'b', 'c']) await addMail(db, { recipient })
  const onEnd = async ({ recipient }: MailRow) => {
    if (recipient === 'a') throw new Error('broken')
  }

  const { error, worker } = workerOn(db, { onEnd })
  await worker.run()

  expect(await states(db)).toEqual(['a', 'b', 'c'].map((recipient) => [recipient, 'sent', 1]))
  expect(error).toHaveBeenCalledExactlyOnceWith({ err: new Error('broken') }, 'sending a mail failed')
})

test('a result is not written again after the end of the lease', async ({ db }) => {
  await addMail(db, { recipient: 'a' })
  let at = Date.now()
  const post = async () => {
    at += day
    return delivered
  }

  // The first update is the lease, the second one the result.
  const { debug, worker } = workerOn(failingAt(db, 2), { post, now: () => at })
  await worker.run()

  expect(await states(db)).toEqual([['a', 'sending', 1]])
  expect(debug).toHaveBeenCalledWith({ err: expect.any(DatabaseNotAvailable) }, 'sending a mail failed')
})

test('an attempt that is aborted because the worker closes does not count', async ({ db }) => {
  await addMail(db, { recipient: 'a' })
  const begun = Promise.withResolvers<void>()
  const post = async (_: unknown, signal: AbortSignal) => {
    begun.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { delivered: false, answer: 'aborted', isFinal: false }
  }

  const { worker } = workerOn(db, { post })
  void worker.run()
  await begun.promise
  await worker.close()

  expect(await states(db)).toEqual([['a', 'waiting', 0]])
})

test('rows that ended more than a week ago are deleted, at most once an hour', async ({ db }) => {
  let at = Date.now()
  const old = { created_at: at - 8 * day, next_at: at + 30 * day }
  await addMail(db, { ...old, recipient: 'old', state: 'failed' })
  await addMail(db, { ...old, recipient: 'waits' })
  await addMail(db, { ...old, recipient: 'new', state: 'sent', created_at: at })
  const { worker } = workerOn(db, { now: () => at })

  await worker.run()
  expect((await states(db)).map(([recipient]) => recipient)).toEqual(['new', 'waits'])

  at += 8 * day
  await addMail(db, { ...old, recipient: 'old', state: 'failed' })
  await worker.run()
  expect((await states(db)).map(([recipient]) => recipient)).toEqual(['waits'])
  await addMail(db, { ...old, recipient: 'old', state: 'failed' })
  await worker.run()
  expect((await states(db)).map(([recipient]) => recipient)).toEqual(['old', 'waits'])
})
