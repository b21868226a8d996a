import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { blockBytes } from './archive-pieces.ts'
import type { Efforts } from './deflate-job.ts'
import { deflateThreads } from './deflate-threads.ts'

const defaultEffort: Efforts = [{ level: 5, windowBits: 15 }]
const text = (length: number) =>
  Buffer.from('all the same and all the same again. '.repeat(length / 30)).subarray(0, length)
/** The output ends at a byte boundary, without an end marker. */
const inflated = (bytes: Uint8Array) => inflateRawSync(Buffer.concat([bytes, Buffer.from([3, 0])]))

test('many concurrent blocks are returned separately', async () => {
  const pieces = Array.from({ length: 40 }, (_, at) => text(blockBytes - at * 1000))

  const done = await Promise.all(pieces.map((piece) => deflateThreads.deflate(Uint8Array.from(piece), defaultEffort)))

  for (const [at, { bytes, isDeflated }] of done.entries()) {
    expect(isDeflated).toBe(true)
    expect(inflated(bytes).equals(pieces[at] as Buffer)).toBe(true)
  }
})

test('incompressible bytes are returned unchanged', async () => {
  const noise = randomBytes(50_000)

  const { bytes, isDeflated } = await deflateThreads.deflate(Uint8Array.from(noise), defaultEffort)

  expect(isDeflated).toBe(false)
  expect(noise.equals(bytes)).toBe(true)
})

test.for([1, 7, 500, 4_096, 8_192, blockBytes])('%i bytes are compressed or returned', async (length) => {
  const content = text(length)

  const { bytes, isDeflated } = await deflateThreads.deflate(Uint8Array.from(content), defaultEffort)

  expect((isDeflated ? inflated(bytes) : content).equals(content)).toBe(true)
  expect(isDeflated || content.equals(bytes)).toBe(true)
})

test('the least effort with about the same result is used: a small window when there are no distant matches', async () => {
  const far = randomBytes(20_000)
  const repeatsFar = Buffer.concat([far, far, far, far])
  const keys = Buffer.from(randomBytes(40_000).toString('hex'))
  const efforts: Efforts = [...defaultEffort, { level: 1, windowBits: 12 }]

  const thorough = await deflateThreads.deflate(Uint8Array.from(repeatsFar), efforts)
  const quick = await deflateThreads.deflate(Uint8Array.from(keys), efforts)

  expect(thorough.effort).toEqual(efforts[0])
  expect(quick.effort).toEqual(efforts[1])
  expect(quick.bytes.length).toBeLessThan(1.03 * deflateRawSync(keys, { level: 6 }).length)
})

test('distant matches in a block are found, all through it', async () => {
  const once = Buffer.from(randomBytes(12_000).toString('hex'))
  const repeated = Buffer.concat(Array.from({ length: 10 }, () => once))

  const { bytes } = await deflateThreads.deflate(Uint8Array.from(repeated), defaultEffort)

  expect(bytes.length).toBeLessThan(once.length)
  expect(inflated(bytes).equals(repeated)).toBe(true)
})

test('the threads have the lowest priority', async () => {
  await deflateThreads.deflate(Uint8Array.from(text(100)), defaultEffort)

  // Field 19 of `stat`; field 2 may contain spaces.
  const niceOf = (task: string) =>
    Number(readFileSync(`/proc/self/task/${task}/stat`, 'latin1').split(') ')[1]?.split(' ')[16])

  expect(readdirSync('/proc/self/task').map(niceOf)).toContain(Math.min(19, getPriority() + 10))
  expect(niceOf(String(process.pid))).toBe(getPriority())
})
