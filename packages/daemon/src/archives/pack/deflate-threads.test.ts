import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { blockBytes } from './block-memory.ts'
import type { Efforts } from './deflate-job.ts'
import { deflateThreads } from './deflate-threads.ts'

const dir = mkdtempSync(join(tmpdir(), 'innkeeper-deflate-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const defaultEffort: Efforts = [{ level: 5, windowBits: 15 }]
const text = (length: number) =>
  Buffer.from('all the same and all the same again. '.repeat(length / 30)).subarray(0, length)
/** The output ends at a byte boundary, without an end marker. */
const inflated = (bytes: Uint8Array) => inflateRawSync(Buffer.concat([bytes, Buffer.from([3, 0])]))

test('many concurrent blocks are returned separately', async () => {
  const pieces = Array.from({ length: 40 }, (_, at) => text(blockBytes - at * 1000))

  const done = await Promise.all(pieces.map((piece) => deflateThreads.deflate(piece, defaultEffort)))

  for (const [at, { bytes, packed, size }] of done.entries()) {
    expect(packed).toBe(bytes.length)
    expect(size).toBe(pieces[at]?.length)
    expect(inflated(bytes).equals(pieces[at] as Buffer)).toBe(true)
  }
})

test('a file is read and compressed up to its end, with its checksum', async () => {
  writeFileSync(join(dir, 'text'), text(5_000))
  writeFileSync(join(dir, 'noise'), randomBytes(50_000))
  await using plain = await open(join(dir, 'text'))
  await using noise = await open(join(dir, 'noise'))

  const shrunk = await deflateThreads.deflate({ fd: plain.fd, length: 9_000 }, defaultEffort)
  const dense = await deflateThreads.deflate({ fd: noise.fd, length: 50_000 }, defaultEffort)

  expect([shrunk.size, shrunk.crc]).toEqual([5_000, crc32(text(5_000))])
  expect(inflated(shrunk.bytes).equals(text(5_000))).toBe(true)
  expect(dense.packed).toBeUndefined()
  expect(readFileSync(join(dir, 'noise')).equals(dense.bytes)).toBe(true)
})

test('a file that cannot be read is reported, and the next one is compressed', async () => {
  await using folder = await open(dir)
  writeFileSync(join(dir, 'next'), text(500))
  await using next = await open(join(dir, 'next'))

  const failing = deflateThreads.deflate({ fd: folder.fd, length: 500 }, defaultEffort)
  const packed = deflateThreads.deflate({ fd: next.fd, length: 500 }, defaultEffort)

  await expect(failing).rejects.toMatchObject({ code: 'EISDIR' })
  expect(inflated((await packed).bytes).equals(text(500))).toBe(true)
})

test('the least effort with about the same result is used: a small window when there are no distant matches', async () => {
  const far = randomBytes(20_000)
  const repeatsFar = Buffer.concat([far, far, far, far])
  const keys = Buffer.from(randomBytes(40_000).toString('hex'))
  const efforts: Efforts = [...defaultEffort, { level: 1, windowBits: 12 }]

  const thorough = await deflateThreads.deflate(repeatsFar, efforts)
  const quick = await deflateThreads.deflate(keys, efforts)

  expect(thorough.effort).toEqual(efforts[0])
  expect(quick.effort).toEqual(efforts[1])
  expect(quick.packed).toBeLessThan(1.03 * deflateRawSync(keys, { level: 6 }).length)
})

test('distant matches in a block are found, all through it', async () => {
  const once = Buffer.from(randomBytes(12_000).toString('hex'))
  const repeated = Buffer.concat(Array.from({ length: 10 }, () => once))

  const { bytes, packed } = await deflateThreads.deflate(repeated, defaultEffort)

  expect(packed).toBeLessThan(once.length)
  expect(inflated(bytes).equals(repeated)).toBe(true)
})

test('the threads have the lowest priority', async () => {
  await deflateThreads.deflate(text(100), defaultEffort)

  // Field 19 of `stat`; field 2 may contain spaces.
  const niceOf = (task: string) =>
    Number(readFileSync(`/proc/self/task/${task}/stat`, 'latin1').split(') ')[1]?.split(' ')[16])

  expect(readdirSync('/proc/self/task').map(niceOf)).toContain(Math.min(19, getPriority() + 10))
  expect(niceOf(String(process.pid))).toBe(getPriority())
})
