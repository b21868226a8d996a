import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@innkeeper/contract/limits'
import { expect, vi } from 'vitest'
import { test } from '../testing/ground.ts'
import { LargeWrites } from './large-writes.ts'

const part = limits.fileWriteBytes

test.for([1, 1000, 70_001, part - 1, part, 3 * part + 5])(
  'what comes in chunks of %i bytes is written whole, in order, though their memory is used again',
  async (size, { ground: { inside } }) => {
    const content = randomBytes(Math.min(size * 40, 9 * part + 77))
    await using file = await open(join(inside, 'a'), 'w')

    for (const atOnce of [false, true]) {
      await file.truncate(3)
      const writes = new LargeWrites(file, { from: 3, atOnce })
      const chunk = Buffer.alloc(size)
      for (let at = 0; at < content.length; at += size) {
        const length = content.copy(chunk, 0, at, at + size)
        await writes.write(chunk.subarray(0, length))
        chunk.fill('!')
      }
      await writes.end()

      expect(writes.position).toBe(content.length + 3)
      expect(readFileSync(join(inside, 'a')).subarray(3).equals(content)).toBe(true)
    }
  },
)

test('what must not wait is in the file before more comes', async ({ ground: { inside } }) => {
  await using file = await open(join(inside, 'a'), 'w')
  const writes = new LargeWrites(file, { atOnce: true })

  for (const size of [5, 10, 15]) {
    await writes.write(Buffer.alloc(5))
    await vi.waitUntil(() => statSync(join(inside, 'a')).size === size)
  }
  await writes.settled()
})

test('a large file goes past the memory of the system where the disk lets it', async ({ ground: { inside } }) => {
  const content = randomBytes(32 * part + 12_345)
  await using file = await open(join(inside, 'a'), 'w')
  const writes = new LargeWrites(file)

  for (let at = 0; at < content.length; at += 70_001) await writes.write(content.subarray(at, at + 70_001))
  await writes.end()
  await writes.settled()
  await file.datasync()

  const inMemory = Number(execFileSync('fincore', ['-b', '-n', '-o', 'RES', join(inside, 'a')], { encoding: 'utf8' }))
  const letsIt = [0xef53, 0x58465342].includes(statfsSync(inside).type)
  expect(inMemory).toSatisfy((bytes: number) => (letsIt ? bytes < 16 * part : bytes > 0))
  expect(readFileSync(join(inside, 'a')).equals(content)).toBe(true)
})

test('whoever writes on is told of a failure, and so is whoever ends', async ({ ground: { inside } }) => {
  writeFileSync(join(inside, 'a'), '')
  await using file = await open(join(inside, 'a'), 'r')
  const writes = new LargeWrites(file)
  const going = async () => {
    for (let at = 0; at < 100; at++) await writes.write(Buffer.alloc(part))
  }

  await expect(going()).rejects.toThrow('EBADF')
  await expect(writes.end()).rejects.toThrow('EBADF')
  await writes.settled()
})
