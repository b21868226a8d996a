import { expect, test } from 'vitest'
import { openDatabase } from '../database/database.ts'
import { clientSubnet, rateLimiter } from './rate-limiter.ts'

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

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, neighbourhood) => {
  expect(clientSubnet(address)).toBe(neighbourhood)
})
