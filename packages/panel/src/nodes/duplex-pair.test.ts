import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Agent, type Dispatcher } from 'undici'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { BufferPool, inProcessConnector } from './buffer-pool.ts'
import { decoupledBody } from './decoupled-body.ts'
import { duplexPair } from './duplex-pair.ts'

const hasEvent = (emitter: Duplex, event: string) => once(emitter, event, { signal: AbortSignal.timeout(5_000) })

describe('a duplex pair', () => {
  test.for([1, 1000, 100_000, 700_001])('transfers data in chunks of %i bytes', async (size) => {
    const parts = Array.from({ length: 20 }, () => randomBytes(size))
    for (const turned of [false, true]) {
      const { near, far } = duplexPair(new BufferPool())
      const [writer, reader] = turned ? [near, far] : [far, near]

      const [, read] = await Promise.all([pipeline(Readable.from(parts), writer), buffer(reader)])

      expect(read.equals(Buffer.concat(parts))).toBe(true)
    }
  })

  test('allows the writer to reuse a written buffer', async () => {
    const { near, far } = duplexPair(new BufferPool())
    const read = buffer(near)
    const part = Buffer.alloc(50_000)
    for (let at = 0; at < 20; at++) {
      part.fill(at)
      await new Promise((done) => far.write(part, done))
      part.fill(255)
    }
    far.end()

    const whole = await read
    expect(
      Array.from({ length: 20 }, (_, at) => whole.subarray(at * 50_000, (at + 1) * 50_000).every((b) => b === at)),
    ).toEqual(Array.from({ length: 20 }, () => true))
  })

  test('applies backpressure when the reader does not read', async () => {
    const { near, far } = duplexPair(new BufferPool())
    let written = 0
    const all = pipeline(
      Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(100_000))),
      async function* (parts) {
        for await (const part of parts) {
          written++
          yield part
        }
      },
      far,
    )
    await vi.waitFor(() => expect(near.readableLength).toBeGreaterThan(0))
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)

    expect(near.readableLength).toBe(100_000)
    expect(written).toBeLessThan(10)
    near.resume()
    await all
    expect(near.bytesRead).toBe(10_000_000)
  })

  test('yields to the event loop during a long transfer', async () => {
    const { near, far } = duplexPair(new BufferPool())
    let turns = 0
    const count = () => {
      turns++
      if (!near.readableEnded) setImmediate(count)
    }
    setImmediate(count)
    near.resume()

    await pipeline(Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(1024 * 1024))), far)

    expect(turns).toBeGreaterThan(30)
  })

  test('destroying one end in the middle destroys the other one without an error', async () => {
    for (const turned of [false, true]) {
      const { near, far } = duplexPair(new BufferPool())
      const [leaving, other] = turned ? [near, far] : [far, near]
      const ended = vi.fn()
      other.on('end', ended).resume()
      leaving.write('half')

      leaving.destroy()

      await hasEvent(other, 'close')
      expect(ended).not.toHaveBeenCalled()
    }
  })

  test('a pending write fails when the other end is destroyed', async () => {
    const { near, far } = duplexPair(new BufferPool())
    const written = ['a', 'b'].map((part) => new Promise((done) => far.write(part, done)))

    near.destroy()

    expect(await Promise.all(written)).toEqual([expect.any(Error), expect.any(Error)])
  })

  test('the end is received after all data before it', async () => {
    const { near, far } = duplexPair(new BufferPool())
    far.write('all of ')
    far.end('it')

    expect(await text(near)).toBe('all of it')
    await Promise.all([near.closed || hasEvent(near, 'close'), far.resume().closed || hasEvent(far, 'close')])
  })
})

describe('HTTP over a duplex pair', () => {
  const agents: Agent[] = []
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.destroy()
  })

  function serving(listener: RequestListener) {
    const server = createServer(listener)
    const agent = new Agent({
      connect: inProcessConnector(new BufferPool(), (connection) => void server.emit('connection', connection)),
    })
    agents.push(agent)
    return (options: Partial<Dispatcher.RequestOptions>) =>
      agent.request({ origin: 'http://node', path: '/', method: 'GET', ...options })
  }

  test('transfers sequential and concurrent requests', async () => {
    const ask = serving((request, response) => void request.pipe(response))
    const bodies = Array.from({ length: 20 }, (_, at) => randomBytes(1 + at * 50_000))
    const echo = async (body: Buffer) => {
      const answer = await ask({
        method: 'PUT',
        body: decoupledBody(Readable.from([body])),
      })
      return (await buffer(answer.body)).equals(body)
    }

    for (const body of bodies.slice(0, 3)) expect(await echo(body)).toBe(true)
    expect(await Promise.all(bodies.map(echo))).toEqual(bodies.map(() => true))
  })

  test('an aborted response is incomplete', async () => {
    const ask = serving((_, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('half', () => response.destroy())
    })

    const { body } = await ask({})

    await expect(text(body)).rejects.toThrow()
  })

  test('a client that aborts is noticed by the server', async () => {
    const left = Promise.withResolvers<void>()
    const ask = serving((_, response) => {
      response.once('close', left.resolve)
      response.write('x')
    })
    const { body } = await ask({})

    body.on('error', () => {}).destroy()

    await left.promise
  })

  test('an early response to a long body arrives, and the body ends', async () => {
    const ask = serving((request, response) => {
      response.writeHead(413, { connection: 'close' }).end('too much')
      request.resume()
    })
    let sent = 0
    const body = Readable.from(
      (function* () {
        for (; sent < 10_000; sent++) yield Buffer.alloc(10_000)
      })(),
    )

    const answer = await ask({ method: 'PUT', body: decoupledBody(body) })

    expect([answer.statusCode, await text(answer.body)]).toEqual([413, 'too much'])
  })

  test('an unavailable server is reported like any other', async () => {
    const agent = new Agent({
      connect: inProcessConnector(new BufferPool(), (connection) => void connection.destroy()),
    })
    agents.push(agent)

    await expect(agent.request({ origin: 'http://node', path: '/', method: 'GET' })).rejects.toThrow('closed')
  })
})
