import { expect, test } from 'vitest'
import { BufferPool } from '../../memory/buffer-pool.ts'
import { OutputBuffer } from './output-buffer.ts'

test('output is returned unchanged from any buffered offset, however it was split', () => {
  const output = new OutputBuffer(new BufferPool(8, 16), 32)
  let all = ''
  for (const [n, size] of [1, 7, 3, 20, 8, 16, 5, 31, 2, 40].entries()) {
    const text = String.fromCharCode(65 + n).repeat(size)
    all += text
    output.append(Buffer.from(text))
    output.acknowledge(all.length - 30)

    for (let from = Math.max(0, all.length - 30); from <= all.length; from++)
      expect(textFrom(output, from)).toBe(all.slice(from))
  }
  expect(output.end).toBe(all.length)
})

test('beyond the limit the oldest output is dropped, and the remaining output has the right offset', () => {
  const output = new OutputBuffer(new BufferPool(8, 16), 32)

  output.append(Buffer.from('a'.repeat(100)))

  expect(output.available(0)).toEqual({ from: 68, length: 32 })
  expect(output.size).toBe(32)
})

test('acknowledged output is released, and nothing can be acknowledged twice or ahead', () => {
  const output = new OutputBuffer(new BufferPool(8, 16), 32)
  output.append(Buffer.from('abcdefghij'))

  output.acknowledge(4)
  output.acknowledge(2)
  expect(output.acknowledged).toBe(4)
  expect(textFrom(output, 0)).toBe('efghij')
  output.acknowledge(99)

  expect(output.acknowledged).toBe(10)
  output.append(Buffer.from('k'))
  expect(textFrom(output, 0)).toBe('k')
})

test('acknowledged memory is reused', () => {
  const pool = new BufferPool(8, 16)
  const output = new OutputBuffer(pool, 32)
  const block = pool.acquire()
  pool.release(block)

  output.append(Buffer.from('first'))
  output.acknowledge(5)

  expect(pool.acquire()).toBe(block)
})

function textFrom(output: OutputBuffer, offset: number): string {
  const part = output.available(offset)
  const bytes = Buffer.alloc(part.length)
  output.copy(bytes, 0, part)
  return bytes.toString()
}
