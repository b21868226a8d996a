import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { streamChunks } from './stream-chunks.ts'

test('data received before an error is delivered first', async () => {
  const stream = new PassThrough()
  const arrivals = streamChunks(stream)
  const arrived = once(stream, 'data')
  stream.write('one')
  stream.write('two')
  await arrived
  stream.destroy(new Error('broken off'))

  const taken: string[] = []
  const taking = (async () => {
    for await (const part of arrivals) taken.push(String(part))
  })()

  await expect(taking).rejects.toThrow('broken off')
  expect(taken).toEqual(['one', 'two'])
})

test('a sender is paused while nothing is read, and continues afterwards', async () => {
  const part = Buffer.alloc(64 * 1024)
  let left = 100
  const stream = new Readable({ read: () => void stream.push(left-- > 0 ? part : null) })
  const arrivals = streamChunks(stream)

  await once(stream, 'pause')
  const heldAfter = 100 - left
  let size = 0
  for await (const taken of arrivals) size += taken.length

  expect(heldAfter).toBeLessThan(10)
  expect(size).toBe(100 * part.length)
})
