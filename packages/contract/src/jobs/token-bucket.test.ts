import { expect, test } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

test('a burst passes immediately, then as many as the rate allows', () => {
  let now = 0
  const bucket = new TokenBucket({ burst: 3, perSecond: 10 }, () => now)
  const takeAll = () => Array.from({ length: 20 }, () => bucket.take()).filter(Boolean).length

  expect([bucket.isFull, takeAll(), bucket.isFull]).toEqual([true, 3, false])
  now = 200
  expect(takeAll()).toBe(2)
  now = 60_000
  expect([bucket.isFull, takeAll()]).toEqual([true, 3])
})
