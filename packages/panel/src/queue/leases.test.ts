import { expect, test } from 'vitest'
import { DatabaseNotAvailable } from '../database/errors.ts'
import { acquireRows, recordResult, sendBatches } from './leases.ts'

const rows = [
  { id: 'a', tries: 0 },
  { id: 'b', tries: 2 },
  { id: 'c', tries: 0 },
]
const { signal } = new AbortController()

test('rows that another panel acquired first are left out, and an attempt is counted', async () => {
  const acquired = await acquireRows(rows, { at: 1_000, leaseMs: 500, write: async ({ id }) => id !== 'a' })

  expect(acquired).toMatchObject([
    { id: 'b', state: 'sending', tries: 3, next_at: 1_500 },
    { id: 'c', state: 'sending', tries: 1, next_at: 1_500 },
  ])
})

test('rows acquired before the database fails are returned; if there are none, the error is thrown', async () => {
  const failAt =
    (failing: string) =>
    async ({ id }: { id: string }) => {
      if (id === failing) throw new DatabaseNotAvailable('gone')
      return true
    }

  const acquired = await acquireRows(rows, { at: 0, leaseMs: 1, write: failAt('b') })

  expect(acquired.map(({ id }) => id)).toEqual(['a'])
  await expect(acquireRows(rows, { at: 0, leaseMs: 1, write: failAt('a') })).rejects.toThrow(DatabaseNotAvailable)
})

test('a result is not written again after the end of the lease', async () => {
  let writes = 0
  const write = async () => {
    writes++
    throw new DatabaseNotAvailable('gone')
  }

  await expect(recordResult(write, { until: 10, now: () => 10, signal })).rejects.toThrow(DatabaseNotAvailable)

  expect(writes).toBe(1)
})

test('an error of one row is thrown when the others of its batch have been sent', async () => {
  const sent: string[] = []
  const send = async ({ id }: { id: string }) => {
    if (id === 'a') throw new Error('broken')
    await Promise.resolve()
    sent.push(id)
  }

  await expect(sendBatches(async () => rows, send, signal)).rejects.toThrow('broken')

  expect(sent).toEqual(['b', 'c'])
})
