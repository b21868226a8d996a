import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createGunzip, createZstdDecompress, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pipeThrough } from './pipe-through.ts'

const whole = gzipSync(randomBytes(4096))

/** The content of a truncated file on a slow disk. */
async function* cutAt(length: number): AsyncGenerator<Uint8Array> {
  await new Promise(setImmediate)
  yield whole.subarray(0, length)
}

test.for([1, 10, 2000, whole.length - 1])(
  'a decoder that fails before it is read throws only to its reader: truncated at %i',
  async (length) => {
    const uncaught: unknown[] = []
    const note = (error: unknown) => void uncaught.push(error)
    process.on('uncaughtException', note)
    const decoder = createGunzip()

    const content = pipeThrough(cutAt(length), decoder)
    await new Promise((resolve) => decoder.once('close', resolve))

    const read = async () => {
      for await (const part of content) expect(part.length).toBeGreaterThan(0)
    }
    await expect(read()).rejects.toThrow('unexpected end of file')
    process.off('uncaughtException', note)
    expect(uncaught).toEqual([])
  },
)

test('a reader that stops ends the reading of the file too', async () => {
  const ended = Promise.withResolvers<void>()
  const many = gzipSync(randomBytes(1_000_000))
  async function* bytes() {
    try {
      for (let at = 0; at < many.length; at += 10_000) yield many.subarray(at, at + 10_000)
    } finally {
      ended.resolve()
    }
  }

  for await (const part of pipeThrough(bytes(), createGunzip())) {
    expect(part.length).toBeGreaterThan(0)
    break
  }

  await ended.promise
})

test('the first of several frames ends at its end, also for a slow reader', async () => {
  const [first, second] = [Buffer.concat([Buffer.alloc(3_000_000, 1), randomBytes(100_000)]), randomBytes(1_500_000)]
  const [one, other] = [zstdCompressSync(first), zstdCompressSync(second)]
  const both = Buffer.concat([one, other])
  async function* bytes() {
    for (let at = 0; at < both.length; at += 256 * 1024) yield both.subarray(at, at + 256 * 1024)
  }
  const decoder = createZstdDecompress({ chunkSize: 256 * 1024 })

  const read: Buffer[] = []
  for await (const part of pipeThrough(bytes(), decoder)) {
    read.push(Buffer.from(part))
    await setTimeout(30)
  }

  expect(Buffer.concat(read).equals(first)).toBe(true)
  expect(decoder.bytesWritten).toBe(one.length)
})
