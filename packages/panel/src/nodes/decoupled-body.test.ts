import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { expect, test, vi } from 'vitest'
import { decoupledBody, freeBuffersAfterWrite } from './decoupled-body.ts'

/** What arrives of what is written to a socket. */
async function arriving(write: (socket: ReturnType<typeof connect>) => Promise<void>): Promise<Buffer> {
  await using server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const socket = freeBuffersAfterWrite(connect((server.address() as AddressInfo).port, '127.0.0.1'))
  const [other] = (await accepted) as [ReturnType<typeof connect>]
  const arrived = buffer(other)
  await write(socket)
  socket.end()
  return await arrived
}

const isGone = (part: Uint8Array) => (part.buffer as ArrayBuffer).detached

test('parts of a body arrive as they were, and their memory is gone then', async () => {
  const parts = Array.from({ length: 200 }, (_, at) => Buffer.from(new Uint8Array(randomBytes(1 + at * 700)).buffer))
  const whole = Buffer.concat(parts)

  const arrived = await arriving((socket) => pipeline(decoupledBody(Readable.from(parts)), socket))

  expect(arrived.equals(whole)).toBe(true)
  await vi.waitFor(() => expect(parts.filter((part) => !isGone(part))).toEqual([]))
})

test('what is no part of a body stays, and so does what shares its memory', async () => {
  const [shared, own] = [Buffer.alloc(20, 'a'), Buffer.from(new Uint8Array(10).fill(98).buffer)]

  const arrived = await arriving(async (socket) => {
    await pipeline(decoupledBody(Readable.from([shared.subarray(0, 5)])), socket, { end: false })
    socket.write('text')
    await new Promise((done) => socket.write(own, done))
  })

  expect(String(arrived)).toBe('aaaaatextbbbbbbbbbb')
  expect([shared, own].map(isGone)).toEqual([false, false])
})

test('a body whose sender leaves in the middle breaks off', async () => {
  const body = new PassThrough()
  const passing = decoupledBody(body)
  body.write('half')

  body.destroy()

  await expect(buffer(passing)).rejects.toThrow('The sender left')
})

test('a body that nobody takes any more is read to its end', async () => {
  const body = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(64 * 1024)))
  const passing = decoupledBody(body)

  passing.destroy()

  await once(body, 'end')
})
