import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { test } from '../../testing/test-directory.ts'
import { BufferedFileWriter, writeBufferBytes } from './buffered-file-writer.ts'

const part = writeBufferBytes

test.for([1, 1000, 70_001, part - 1, part, 3 * part + 5])(
  'chunks of %i bytes are written completely and in order, although the caller reuses its buffer',
  async (size, { fixture: { inside } }) => {
    const content = randomBytes(Math.min(size * 40, 9 * part + 77))
    await using file = await open(join(inside, 'a'), 'w')

    for (const eager of [false, true]) {
      await file.truncate(3)
      const writer = new BufferedFileWriter(file, { position: 3, eager })
      const chunk = Buffer.alloc(size)
      for (let at = 0; at < content.length; at += size) {
        const length = content.copy(chunk, 0, at, at + size)
        await writer.write(chunk.subarray(0, length))
        chunk.fill('!')
      }
      await writer.end()

      expect(writer.position).toBe(content.length + 3)
      expect(readFileSync(join(inside, 'a')).subarray(3).equals(content)).toBe(true)
    }
  },
)

test('an eager writer has written what it got before more comes', async ({ fixture: { inside } }) => {
  await using file = await open(join(inside, 'a'), 'w')
  const writer = new BufferedFileWriter(file, { eager: true })

  for (const size of [5, 10, 15]) {
    await writer.write(Buffer.alloc(5))
    await vi.waitUntil(() => statSync(join(inside, 'a')).size === size)
  }
  await writer.settled()
})

test('a failed write is thrown by the next write and by the end', async ({ fixture: { inside } }) => {
  writeFileSync(join(inside, 'a'), '')
  await using file = await open(join(inside, 'a'), 'r')
  const writer = new BufferedFileWriter(file)
  const going = async () => {
    for (let at = 0; at < 100; at++) await writer.write(Buffer.alloc(part))
  }

  await expect(going()).rejects.toThrow('EBADF')
  await expect(writer.end()).rejects.toThrow('EBADF')
  await writer.settled()
})
