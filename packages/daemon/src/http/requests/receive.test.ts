import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import type { Sink } from '../../files/write/buffered-file-writer.ts'
import { receiveBody, receiveFile } from './receive.ts'

const form = { 'content-type': 'multipart/form-data; boundary=x' }
const formHead = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'

/** Collects what is pushed. A full one has room again when the test resolves `asked`. */
class CollectingSink implements Sink {
  bytes = Buffer.alloc(0)
  asked: PromiseWithResolvers<void> | undefined
  readonly #isFull: boolean

  constructor(isFull = false) {
    this.#isFull = isFull
  }

  push(chunk: Uint8Array): boolean {
    this.bytes = Buffer.concat([this.bytes, chunk])
    return !this.#isFull
  }

  drained(): Promise<void> {
    this.asked = Promise.withResolvers()
    return this.asked.promise
  }
}

/** A request whose client has sent this so far, and the response after the act. */
async function asking(
  headers: Record<string, string | number>,
  sent: string | Buffer,
  act: (request: IncomingMessage) => Promise<void>,
) {
  await using server = createServer((incoming, response) => {
    act(incoming).then(
      () => response.end('taken'),
      (error: { code?: string }) => response.end(error.code),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sending = request({ host: '127.0.0.1', port, method: 'PUT', headers })
  sending.write(sent)
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  const text = (await answer.setEncoding('utf8').toArray()).join('')
  sending.destroy()
  return text
}

const open = { signal: new AbortController().signal, limit: 1000 }

test('a body over the limit is refused, before it is received', async () => {
  const [enough, more] = [new CollectingSink(), new CollectingSink()]

  const fits = await asking({ 'content-length': 1000 }, Buffer.alloc(1000), (it) => receiveBody(it, enough, open))
  const tooLarge = await asking({ 'content-length': 1001 }, Buffer.alloc(1001), (it) => receiveBody(it, more, open))

  expect([fits, enough.bytes.length]).toEqual(['taken', 1000])
  expect([tooLarge, more.bytes.length]).toEqual(['ErrBodyTooLarge', 0])
})

test('the file in a form is accepted as soon as it is complete, and the rest is ignored', async () => {
  const kept = new CollectingSink()

  const answer = await asking({ ...form, 'content-length': 10_000 }, `${formHead}abc\r\n--x\r\nmore`, (it) =>
    receiveFile(it, kept, open),
  )

  expect([answer, String(kept.bytes)]).toEqual(['taken', 'abc'])
})

test('an interrupted form is refused', async () => {
  const body = `${formHead}abc\r\n--`

  const answer = await asking({ ...form, 'content-length': body.length }, body, (it) =>
    receiveFile(it, new CollectingSink(), open),
  )

  expect(answer).toBe('ErrFieldInvalid')
})

test('a stalled client can be aborted', async () => {
  const giving = new AbortController()
  const kept = new CollectingSink()
  void vi.waitUntil(() => kept.bytes.length > 0).then(() => giving.abort())

  const answer = await asking({ 'content-length': 10 }, 'abc', (it) =>
    receiveBody(it, kept, { limit: 1000, signal: giving.signal }),
  )

  expect([answer, String(kept.bytes)]).toEqual(['ErrCancelled', 'abc'])
})

test('a full sink pauses the request; an error meanwhile ends it', async () => {
  const much = Buffer.alloc(4 * 1024 * 1024)
  const [filled, failing] = [new CollectingSink(true), new CollectingSink(true)]
  const filling = asking({ 'content-length': much.length }, much, (it) =>
    receiveBody(it, filled, { ...open, limit: much.length }),
  )
  await vi.waitUntil(() => filled.asked)
  const first = filled.bytes.length
  await new Promise((resolve) => setTimeout(resolve, 50))

  expect(filled.bytes.length).toBe(first)
  for (let seen = filled.asked; filled.bytes.length < much.length; seen = filled.asked) {
    seen?.resolve()
    await vi.waitUntil(() => filled.asked !== seen || filled.bytes.length === much.length, { interval: 1 })
  }
  filled.asked?.resolve()
  expect(await filling).toBe('taken')

  const refused = asking({ 'content-length': much.length }, much, (it) =>
    receiveBody(it, failing, { ...open, limit: much.length }),
  )
  await vi.waitUntil(() => failing.asked)
  failing.asked?.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
  expect(await refused).toBe('ENOSPC')
  expect(failing.bytes.length).toBeLessThan(much.length)
})
