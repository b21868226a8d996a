import { expect, test } from 'vitest'
import { BufferPool } from './buffer-pool.ts'

test('a released buffer is reused, up to the size of the pool', () => {
  const pool = new BufferPool(1024, 1)
  const [first, second] = [pool.acquire(), pool.acquire()]

  pool.release(first)
  pool.release(second)

  expect(pool.acquire()).toBe(first)
  expect(pool.acquire()).not.toBe(second)
})

test('a buffer of another size is not kept', () => {
  const pool = new BufferPool(1024, 8)
  const other = Buffer.alloc(10)

  pool.release(other)

  expect(pool.acquire()).toHaveLength(1024)
})
