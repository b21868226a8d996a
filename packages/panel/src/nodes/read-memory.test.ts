import { describe, expect, test } from 'vitest'
import { ReadMemory } from './read-memory.ts'

describe('the memory of reads', () => {
  test('is used again once what was read is given back', () => {
    const memory = new ReadMemory()
    const first = memory.take()

    memory.giveBack(memory.filled(first, 10))

    expect(memory.take().buffer).toBe(first.buffer)
    expect(memory.take().buffer).not.toBe(first.buffer)
  })

  test('is given back once', () => {
    const memory = new ReadMemory()
    const chunk = memory.filled(memory.take(), 10)

    memory.giveBack(chunk)
    memory.giveBack(chunk)

    expect(memory.take().buffer).not.toBe(memory.take().buffer)
  })

  test('is not given back by a part of what was read, nor by memory of somebody else', () => {
    const memory = new ReadMemory()
    const read = memory.filled(memory.take(), 10)

    memory.giveBack(read.subarray(0, 5))
    memory.giveBack(read.subarray(5))
    memory.giveBack(new Uint8Array(10))

    expect(memory.take().buffer).not.toBe(read.buffer)
    expect(memory.take().length).toBe(read.buffer.byteLength)
  })
})
