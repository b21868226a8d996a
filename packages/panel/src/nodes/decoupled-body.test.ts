import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { expect, test, vi } from 'vitest'
import { decoupledBody, freeBuffersAfterWrite } from './decoupled-body.ts'

/** The data received from a socket. */
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

test('chunks of a body arrive unchanged, and their memory is freed then', async () => {
  const parts = Array.from({ length: 200 }, (_, at) => Buffer.from(new Uint8Array(randomBytes(1 + at * 700)).buffer))
  const whole = Buffer.concat(parts)

  const arrived = await arriving((socket) => pipeline(decoupledBody(Readable.from(parts)), socket))

  expect(arrived.equals(whole)).toBe(true)
  await vi.waitFor(() => expect(parts.filter((part) => !isGone(part))).toEqual([]))
})

test('memory of other data is kept, as is a shared ArrayBuffer', async () => {
  const [shared, own] = [Buffer.alloc(20, 'a'), Buffer.from(new Uint8Array(10).fill(98).buffer)]

  const arrived = await arriving(async (socket) => {
    await pipeline(decoupledBody(Readable.from([shared.subarray(0, 5)])), socket, { end: false })
    socket.write('text')
    await new Promise((done) => socket.write(own, done))
  })

  expect(String(arrived)).toBe('aaaaatextbbbbbbbbbb')
  expect([shared, own].map(isGone)).toEqual([false, false])
})

test('a body whose sender disconnects in the middle is aborted', async () => {
  const body = new PassThrough()
  const passing = decoupledBody(body)
  body.write('half')

  body.destroy()

  await expect(buffer(passing)).rejects.toThrow('The client disconnected')
})

test('a body that is no longer wanted is drained', async () => {
  const body = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(64 * 1024)))
  const passing = decoupledBody(body)

  passing.destroy()

  await once(body, 'end')
})
