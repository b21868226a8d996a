import { randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { blockBytes } from './block-memory.ts'
import type { Effort } from './deflate-job.ts'
import { Deflater } from './deflater.ts'

const thorough = { level: 5, windowBits: 15 }
const quick = { level: 1, windowBits: 12 }

const prose = (words: string) =>
  Buffer.from(`${words} and all the same again. `.repeat(blockBytes / 20)).subarray(0, blockBytes)
/** The output of a block has no end marker. */
const inflated = (packed: Uint8Array) => inflateRawSync(Buffer.concat([packed, Buffer.from([3, 0])]))

/** Runs the generator to its end without yielding. */
function deflated(deflater: Deflater, bytes: Uint8Array, effort: Effort): Uint8Array {
  const deflating = deflater.deflate(bytes, effort)
  let step = deflating.next()
  while (!step.done) step = deflating.next()
  return step.value
}

test('blocks are independent of earlier ones and their efforts', () => {
  const deflater = new Deflater()
  const blocks = [prose('one'), randomBytes(100_000), prose('two').subarray(0, 70_001), Buffer.from([7])]

  for (const block of [...blocks, ...blocks]) {
    for (const effort of [thorough, quick]) expect(inflated(deflated(deflater, block, effort)).equals(block)).toBe(true)
  }
})

test('the output of one effort stays valid while another one is tried', () => {
  const deflater = new Deflater()
  const block = prose('the same')

  const first = deflated(deflater, block, thorough)
  const second = deflated(deflater, block, quick)

  expect(inflated(first).equals(block)).toBe(true)
  expect(inflated(second).equals(block)).toBe(true)
  expect(first.length).toBeLessThan(1.1 * deflateRawSync(block, { level: 5 }).length)
})

test('a block at the end of shared memory is compressed like others', () => {
  const memory = new SharedArrayBuffer(2 * blockBytes)
  const block = new Uint8Array(memory, blockBytes + 100, blockBytes - 100)
  block.set(prose('shared').subarray(0, block.length))

  expect(inflated(deflated(new Deflater(), block, thorough)).equals(block)).toBe(true)
})

test('after a failure the next block is compressed normally', () => {
  const deflater = new Deflater()
  const tooLong = randomBytes(2 * blockBytes)

  expect(() => deflated(deflater, tooLong, thorough)).toThrow()

  expect(inflated(deflated(deflater, prose('next'), thorough)).equals(prose('next'))).toBe(true)
})

test('it yields within a block', () => {
  const deflating = new Deflater().deflate(prose('long'), thorough)

  expect([...deflating].length).toBeGreaterThan(2)
})
