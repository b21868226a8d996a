import { expect, test } from 'vitest'
import { free, freeAround } from './free.ts'

test('memory that bytes have to themselves is given back at once', () => {
  const before = process.memoryUsage().arrayBuffers
  const many = Array.from({ length: 64 }, () => Buffer.allocUnsafeSlow(1024 * 1024))
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(32 * 1024 * 1024)

  for (const bytes of many) free(bytes)

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
})

test('memory that is shared with something else stays as it is', () => {
  const whole = Buffer.alloc(100, 'a')
  const shared = new Uint8Array(new SharedArrayBuffer(10)).fill(7)

  free(whole.subarray(0, 99))
  free(Buffer.from('a few letters of a pool'))
  free(shared)

  expect(String(whole)).toBe('a'.repeat(100))
  expect(shared).toEqual(new Uint8Array(10).fill(7))
})

test('all of the memory that bytes are in is given back where that is wanted, but a pool never', () => {
  const whole = Buffer.from(new ArrayBuffer(100))
  const neighbour = Buffer.from('a neighbour')

  freeAround(whole.subarray(10, 20))
  freeAround(whole)
  freeAround(Buffer.from('in the same pool'))

  expect(whole).toHaveLength(0)
  expect(String(neighbour)).toBe('a neighbour')
})
