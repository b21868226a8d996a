import { expect, test } from 'vitest'
import { FrameReader, frame } from './frames.ts'
import { keeperLimits } from './protocol.ts'

interface Message {
  readonly is: string
  readonly text: string
}

const sent: readonly [Message, string][] = [
  [{ is: 'first', text: '' }, ''],
  [{ is: 'second', text: 'ä€😀'.repeat(50) }, 'payload'],
  [{ is: 'third', text: 'x' }, 'y'.repeat(5000)],
  [{ is: 'last', text: '' }, ''],
]

test.for([1, 2, 7, 8, 9, 100, 4096, 100_000])('messages arrive intact when their bytes come %i at a time', (size) => {
  const bytes = Buffer.concat(sent.map(([message, payload]) => frame(message, Buffer.from(payload))))
  const received: [Message, string][] = []
  const reader = new FrameReader<Message>((message, payload) => received.push([message, payload.toString()]))
  const buffer = Buffer.alloc(size)

  for (let at = 0; at < bytes.length; at += size) reader.read(buffer.subarray(0, bytes.copy(buffer, 0, at, at + size)))

  expect(received).toEqual(sent)
})

test('an invalid frame is rejected before its bytes have arrived', () => {
  const reader = new FrameReader<Message>(() => undefined)
  const tooLong = Buffer.alloc(8)
  tooLong.writeUInt32BE(keeperLimits.headerBytes + 1, 0)

  expect(() => reader.read(tooLong)).toThrow('invalid frame')
})
