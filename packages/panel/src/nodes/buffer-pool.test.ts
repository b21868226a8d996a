import { describe, expect, test } from 'vitest'
import { BufferPool } from './buffer-pool.ts'

describe('the buffer pool', () => {
  test('reuses a released buffer', () => {
    const memory = new BufferPool()
    const first = memory.acquire()

    memory.release(memory.slice(first, 10))

    expect(memory.acquire().buffer).toBe(first.buffer)
    expect(memory.acquire().buffer).not.toBe(first.buffer)
  })

  test('ignores a second release', () => {
    const memory = new BufferPool()
    const chunk = memory.slice(memory.acquire(), 10)

    memory.release(chunk)
    memory.release(chunk)

    expect(memory.acquire().buffer).not.toBe(memory.acquire().buffer)
  })

  test('ignores a slice of a read, and foreign buffers', () => {
    const memory = new BufferPool()
    const read = memory.slice(memory.acquire(), 10)

    memory.release(read.subarray(0, 5))
    memory.release(read.subarray(5))
    memory.release(new Uint8Array(10))

    expect(memory.acquire().buffer).not.toBe(read.buffer)
    expect(memory.acquire().length).toBe(read.buffer.byteLength)
  })
})
