import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tellStraight } from './straight-stream.ts'

function listening(): { readonly stream: Readable; readonly heard: string[] } {
  const stream = new Readable({ read() {} })
  const heard: string[] = []
  tellStraight(stream)
  stream.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
  return { stream, heard }
}

test('what comes is told before the next comes, and nothing of it stays', () => {
  const { stream, heard } = listening()

  expect(stream.push(Buffer.from('one'))).toBe(true)
  expect(heard).toEqual(['one'])
  stream.push(Buffer.from('two'))

  expect(heard).toEqual(['one', 'two'])
  expect(stream.readableLength).toBe(0)
})

test('while it is paused, what comes is kept; all is told in its order, then the end', async () => {
  const { stream, heard } = listening()
  const ended = once(stream, 'end')

  stream.push(Buffer.from('one'))
  stream.pause()
  stream.push(Buffer.from('two'))
  expect([heard, stream.readableLength]).toEqual([['one'], 3])
  stream.resume()
  stream.push(Buffer.from('three'))
  await turn()
  stream.push(Buffer.from('four'))
  stream.push(null)
  await ended

  expect(heard.join(' ')).toBe('one two three four')
})

test('who is paused by what they hear is told no more', () => {
  const { stream, heard } = listening()
  stream.once('data', () => stream.pause())

  stream.push(Buffer.from('one'))
  stream.push(Buffer.from('two'))

  expect(heard).toEqual(['one'])
})

test('a full stream says so, and what came before anybody listened is told first', async () => {
  const stream = new Readable({ read() {}, highWaterMark: 4 })
  const heard: string[] = []
  tellStraight(stream)

  expect(stream.push(Buffer.from('early'))).toBe(false)
  stream.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
  stream.push(Buffer.from('late'))
  await turn()

  expect(heard.join(' ')).toBe('early late')
})
