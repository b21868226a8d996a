import { describe, expect, test } from 'vitest'
import { BufferPool } from './buffer-pool.ts'

describe('the memory of reads', () => {
  test('is used again once what was read is given back', () => {
    const memory = new BufferPool()
    const first = memory.acquire()

    memory.release(memory.slice(first, 10))

    expect(memory.acquire().buffer).toBe(first.buffer)
    expect(memory.acquire().buffer).not.toBe(first.buffer)
  })

  test('is given back once', () => {
    const memory = new BufferPool()
    const chunk = memory.slice(memory.acquire(), 10)

    memory.release(chunk)
    memory.release(chunk)

    expect(memory.acquire().buffer).not.toBe(memory.acquire().buffer)
  })

  test('is not given back by a part of what was read, nor by memory of somebody else', () => {
    const memory = new BufferPool()
    const read = memory.slice(memory.acquire(), 10)

    memory.release(read.subarray(0, 5))
    memory.release(read.subarray(5))
    memory.release(new Uint8Array(10))

    expect(memory.acquire().buffer).not.toBe(read.buffer)
    expect(memory.acquire().length).toBe(read.buffer.byteLength)
  })
})
