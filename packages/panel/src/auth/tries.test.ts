import { expect, test } from 'vitest'
import { openDatabase } from '../database/database.ts'
import { neighbourhoodOf, triesService } from './tries.ts'

test('tries at the same moment are all counted', async () => {
  const db = await openDatabase('sqlite::memory:')
  const tries = triesService({ db, now: () => 1_000 })

  const settled = await Promise.allSettled(Array.from({ length: 8 }, () => tries.count([{ what: 'x', most: 5 }])))

  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  await db.destroy()
})

test('after the window the tries are forgotten, and never before', async () => {
  const db = await openDatabase('sqlite::memory:')
  let now = 0
  const tries = triesService({ db, now: () => now })
  await tries.count([{ what: 'x', most: 1 }])

  now = 299_999
  await expect(tries.count([{ what: 'x', most: 1 }])).rejects.toMatchObject({ metadata: { retryAfter: 1 } })
  now = 300_001
  await tries.count([{ what: 'x', most: 1 }])
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
  expect(neighbourhoodOf(address)).toBe(neighbourhood)
})
