import { expect, test } from 'vitest'
import { openDatabase } from '../database/database.ts'
import { rateLimiter } from './rate-limiter.ts'

test('concurrent attempts are all counted', async () => {
  const db = await openDatabase('sqlite::memory:')
  const limiter = rateLimiter({ db, now: () => 1_000 })

  const settled = await Promise.allSettled(Array.from({ length: 8 }, () => limiter.consume([{ key: 'x', max: 5 }])))

  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  await db.destroy()
})

test('attempts are reset at the end of the window, not before', async () => {
  const db = await openDatabase('sqlite::memory:')
  let now = 0
  const limiter = rateLimiter({ db, now: () => now })
  await limiter.consume([{ key: 'x', max: 1 }])

  now = 299_999
  await expect(limiter.consume([{ key: 'x', max: 1 }])).rejects.toMatchObject({ metadata: { retryAfter: 1 } })
  now = 300_001
  await limiter.consume([{ key: 'x', max: 1 }])
  await db.destroy()
})
