import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { getData, putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import * as calls from '@innkeeper/contract/servers/node-servers'
import { kickPlayer } from '@innkeeper/contract/servers/player-actions'
import { getServer, listServers } from '@innkeeper/contract/servers/servers'
import pino from 'pino'
import { describe, expect, vi } from 'vitest'
import { accessService } from '../access/access.ts'
import { sessionsService } from '../auth/sessions.ts'
import { maxLargeResponsesPerUser, maxRequestsPerUser } from '../http/requests-in-flight.ts'
import { type TestPanel, type TestUser, test } from '../testing/test-panel.ts'
import { httpProxy } from './http-proxy.ts'
import { matchCall, proxiedCalls } from './proxied-calls.ts'
import { ActiveTransfers } from './transfers.ts'

const mebibyte = 1024 * 1024
/** Buffers of sockets and streams that fill when one side stops reading. */
const onTheWay = 8 * mebibyte

interface Sent {
  readonly method: string
  readonly path: string
  readonly as: TestUser
  readonly headers?: Record<string, string>
}

/** Sends a real request to the listening panel. */
async function open(testPanel: TestPanel, sent: Sent) {
  const { url } = await testPanel.panel.listen()
  return openAt(url, sent)
}

function openAt(url: string, { method, path, as, headers = {} }: Sent) {
  return httpRequest(url + path, { method, headers: { ...headers, authorization: `Bearer ${as.token}` } })
}

async function answered(request: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

async function readBytes(stream: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const part of stream) bytes += part.length
  return bytes
}

const withHeaders = proxiedCalls.filter(({ headers, responseHeaders }) => headers ?? responseHeaders)

describe('forwarding', () => {
  test.for(['/proxy/daemon', '/daemon'])(
    '%s forwards a request with its query and its own ticket',
    async (prefix, { testPanel }) => {
      const id = await testPanel.server()
      const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole', 'stopServer'] } })

      const reply = await testPanel.request('GET', `${prefix}/server/${id}/console?time=17&x=a%20b`, undefined, user)

      expect([reply.status, reply.answer]).toEqual([200, { epoch: 1, logs: 'since 17', from: 0, to: 8 }])
      const [received] = testPanel.node.received
      expect(received?.url).toBe(`/daemon/server/${id}/console?time=17&x=a%20b`)
      expect(received?.ticket).toMatchObject({
        aud: 'node:0',
        sub: `user:${user.id}`,
        server: id,
        purpose: `GET /daemon/server/${id}/console`,
        // Only what the call needs: an older node may not know others.
        rights: ['viewServerConsole'],
      })
    },
  )

  test('credentials of a user are not forwarded, and cookies of a node are removed', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.answer(getData, (_request, response) => {
      response.setHeader('set-cookie', 'innkeeper_session=stolen')
      response.setHeader('x-powered-by', 'node')
      response.setHeader('etag', '"7"')
      response.end('{}')
    })

    const response = await testPanel.panel.app.inject({
      method: 'GET',
      url: `/proxy/daemon/server/${id}/data`,
      headers: {
        authorization: `Bearer ${admin.token}`,
        cookie: 'a=b',
        'x-forwarded-for': '1.2.3.4',
      },
    })

    const headers = testPanel.node.received[0]?.headers ?? {}
    expect(headers.authorization).not.toContain(admin.token)
    expect(headers).not.toHaveProperty('cookie')
    expect(headers).not.toHaveProperty('x-forwarded-for')
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(response.headers).not.toHaveProperty('x-powered-by')
    expect(response.headers.etag).toBe('"7"')
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test.for(withHeaders.map((call) => [`${call.method} ${call.path}`, call] as const))(
    '%s has the headers that it declares, in both directions, and no others',
    async ([, call], { testPanel }) => {
      const [admin, id] = [await testPanel.admin(), await testPanel.server()]
      const getValues = (headers: Endpoint['headers'] = {}) =>
        Object.fromEntries(Object.keys(headers).map((name, at) => [name.toLowerCase(), `value-${at}`]))
      const [sent, returned] = [getValues(call.headers), getValues(call.responseHeaders)]
      if (returned.location) returned.location = `/proxy/daemon/server/${id}/uploads/a`
      testPanel.node.answer(call, (request, response) => {
        request.resume()
        response.writeHead(call.status, { ...returned, 'x-other': 'value' }).end()
      })

      const response = await testPanel.panel.app.inject({
        method: call.method as 'GET',
        url: `/proxy${call.path.replace(':id', id).replace(/:\w+\*?/g, 'a')}`,
        headers: { authorization: `Bearer ${admin.token}`, ...sent, 'x-other': 'value' },
      })

      const received = testPanel.node.received.find(({ method }) => method === call.method)?.headers ?? {}
      expect(received).toMatchObject(sent)
      expect(response.headers).toMatchObject(returned)
      expect([received, response.headers].map((headers) => headers['x-other'])).toEqual([undefined, undefined])
    },
  )

  test('an error of the node is returned unchanged', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.refuse(calls.startServer, new Refusal('ErrServerBusy', { state: 'installing' }))

    const { status, refusal, metadata } = await testPanel.send(calls.startServer, { params: { id }, query: {} }, admin)

    expect([status, refusal, metadata]).toEqual([409, 'ErrServerBusy', { state: 'installing' }])
  })

  test.for([
    ['PUT', '/daemon/server/:id'],
    ['DELETE', '/daemon/server/:id'],
    ['GET', '/daemon/features'],
    ['GET', '/daemon/usage?ids=:id'],
    ['GET', '/daemon'],
    ['GET', '/daemon/'],
    ['GET', '/daemon/server/:id/unknown'],
    ['POST', '/daemon/server/:id/status'],
    ['GET', '/daemon/server/:id/../../features'],
    ['GET', '/daemon/server/%2e%2e/features'],
    ['GET', '/daemon/server/:id%2fstatus'],
    ['GET', '/daemon/server/:id/status/'],
    ['GET', '/daemon//server/:id/status'],
  ] as const)('%s %s is forbidden, also for administrators', async ([method, path], { testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]

    for (const prefix of ['', '/proxy']) {
      const { status, refusal } = await testPanel.request(method, prefix + path.replace(':id', id), undefined, admin)

      expect(status).toBe(404)
      expect(refusal).toMatch(/^Err(Server)?NotFound$/)
    }
    expect(testPanel.node.received).toEqual([])
    expect(testPanel.node.definitions.has(id)).toBe(true)
  })
})

describe('a node that fails', () => {
  test.for([
    ['an error page', 500, { 'content-type': 'text/html' }, '<script>alert(1)</script>'],
    ['an error that is too long', 409, { 'content-type': 'application/json' }, 'x'.repeat(65 * 1024)],
    ['an error of another shape', 404, { 'content-type': 'application/json' }, '{"error":"no"}'],
    ['a sign-in', 401, { 'content-type': 'application/json' }, '{}'],
    ['a redirect', 307, { location: 'https://elsewhere.example' }, ''],
    ['a status that HTTP does not have', 777, {}, ''],
  ] as const)('%s of a node is not forwarded', async ([, status, headers, body], { testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.answer(calls.stopServer, (request, response) => {
      request.resume()
      response.writeHead(status, headers).end(body)
    })

    const reply = await testPanel.send(calls.stopServer, { params: { id }, query: {} }, admin)

    expect([reply.status, reply.refusal]).toEqual([502, 'ErrServiceNotAvailable'])
  })

  test('an answer that is no file is JSON, whatever headers the node sends', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.answer(getData, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-disposition': 'attachment; filename=a.exe' })
      response.end('<script>alert(1)</script>')
    })

    const { headers } = await testPanel.panel.app.inject({
      url: `/proxy/daemon/server/${id}/data`,
      headers: { authorization: `Bearer ${admin.token}` },
    })

    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers).not.toHaveProperty('content-disposition')
  })

  test('an endless answer that is no file breaks off', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const part = Buffer.alloc(mebibyte, ' ')
    testPanel.node.answer(getData, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const endless = Readable.from(Array.from({ length: 1_000 }, () => part))
      endless.pipe(response).once('close', () => endless.destroy())
    })
    const request = await open(testPanel, { method: 'GET', path: `/proxy/daemon/server/${id}/data`, as: admin })
    request.end()

    await expect(readBytes(await answered(request))).rejects.toThrow('aborted')
  })

  test('a node that disconnects in the middle of an error is unavailable', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.answer(calls.stopServer, (request, response) => {
      request.resume()
      response.writeHead(409, { 'content-type': 'application/json' })
      response.write('{"error":', () => response.destroy())
    })

    const reply = await testPanel.send(calls.stopServer, { params: { id }, query: {} }, admin)

    expect([reply.status, reply.refusal]).toEqual([502, 'ErrServiceNotAvailable'])
  })

  test('an unreachable node is unavailable', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    await testPanel.node.stop()

    const { status, refusal } = await testPanel.send(getData, { params: { id } }, admin)

    expect([status, refusal]).toEqual([502, 'ErrServiceNotAvailable'])
  })

  test('a ticket rejected by the node does not log the user out', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    await testPanel.node.trust({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' })

    const { status, refusal } = await testPanel.send(getData, { params: { id } }, admin)

    expect([status, refusal]).toEqual([502, 'ErrServiceNotAvailable'])
  })

  test('a node that disconnects in the middle of a response ends the response, not the panel', async ({
    testPanel,
  }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.answer(calls.getConsole, (_request, response) => {
      response.write('half', () => response.destroy())
    })
    const request = await open(testPanel, { method: 'GET', path: `/proxy/daemon/server/${id}/console`, as: admin })
    request.end()

    const response = await answered(request)

    await expect(readBytes(response)).rejects.toThrow('aborted')
    expect((await testPanel.send(calls.getStatus, { params: { id } }, admin)).status).toBe(200)
  })
})

describe('streams', () => {
  test('an upload of 50 MiB is sent as fast as the node reads', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const [reading, whole] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()]
    testPanel.node.answer(calls.sendCommand, async (request, response) => {
      await reading.promise
      whole.resolve(await readBytes(request))
      response.writeHead(204).end()
    })
    const length = 50 * mebibyte
    const headers = { 'content-type': 'text/plain', 'content-length': String(length) }
    const request = await open(testPanel, {
      method: 'POST',
      path: `/proxy/daemon/server/${id}/console`,
      as: admin,
      headers,
    })

    // Writes until backpressure stops it, which happens when all buffers are full.
    const part = Buffer.alloc(mebibyte, 'x')
    let written = 0
    const takes = () =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), 500)
        request.write(part, () => {
          clearTimeout(timer)
          resolve(true)
        })
        written += part.length
      })
    while (written < length && (await takes()));
    expect(written).toBeLessThan(onTheWay)

    reading.resolve()
    while (written < length) await takes()
    request.end()
    expect(await whole.promise).toBe(length)
    expect((await answered(request)).statusCode).toBe(204)
  })

  test('a download of 50 MiB is read as fast as the user reads', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const length = 50 * mebibyte
    let produced = 0
    const isDelayed = Promise.withResolvers<void>()
    testPanel.node.answer(calls.getConsole, async (_request, response) => {
      response.writeHead(200, { 'content-length': length, 'content-type': 'text/plain' })
      const part = Buffer.alloc(64 * 1024, 'x')
      while (produced < length) {
        produced += part.length
        if (response.write(part)) continue
        const drained = once(response, 'drain')
        const timer = setTimeout(() => isDelayed.resolve(), 500)
        await drained
        clearTimeout(timer)
      }
      response.end()
    })
    const request = await open(testPanel, { method: 'GET', path: `/proxy/daemon/server/${id}/console`, as: admin })
    request.end()
    const response = await answered(request)

    await isDelayed.promise
    expect(produced).toBeLessThan(onTheWay)

    expect(await readBytes(response)).toBe(length)
    expect(response.headers['content-length']).toBe(String(length))
  })

  test('a pending request is aborted when the client disconnects', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const [started, disconnected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    testPanel.node.answer(calls.stopServer, (request) => {
      request.socket.once('close', () => disconnected.resolve())
      started.resolve()
    })
    const request = await open(testPanel, { method: 'POST', path: `/proxy/daemon/server/${id}/stop?wait`, as: admin })
    request.on('error', () => {})
    request.end()
    await started.promise

    request.destroy()

    await disconnected.promise
  })
})

describe('the address of a server', () => {
  test('is updated when its variables are saved', async ({ testPanel }) => {
    const id = await testPanel.server()
    testPanel.node.definitions.set(id, {
      type: 'test',
      run: {},
      data: { ip: { value: '0.0.0.0' }, port: { value: 1 } },
    })
    const user = await testPanel.createUser({ on: { [id]: ['editServerData'] } })

    const body = { data: { ip: { value: '10.1.1.1' }, port: { value: '25566' } } }
    expect((await testPanel.send(putData, { params: { id }, body }, user)).status).toBe(204)

    const { answer } = await testPanel.send(listServers, { query: {} }, user)
    expect(answer.servers).toMatchObject([{ id, ip: '10.1.1.1', port: 25566 }])
  })

  test('and its type are updated with its definition', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]

    const body = { type: 'other', run: {}, data: { port: { value: '70000' } } }
    expect((await testPanel.send(putDefinition, { params: { id }, body }, admin)).status).toBe(204)

    const { answer } = await testPanel.send(getServer, { params: { id }, query: {} }, admin)
    expect(answer.server).toMatchObject({ type: 'other', ip: '0.0.0.0', port: 0 })
  })

  test('stays unchanged when the node rejects the change', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const id = await testPanel.server({ ip: '10.1.1.1', port: 7 })
    testPanel.node.refuse(putData, new Refusal('ErrFieldRequired', { field: 'port' }))

    await testPanel.send(putData, { params: { id }, body: { data: {} } }, admin)

    const { answer } = await testPanel.send(getServer, { params: { id }, query: {} }, admin)
    expect(answer.server).toMatchObject({ ip: '10.1.1.1', port: 7 })
  })
})

test('a node without an endpoint is reported as too old for it', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.refuse(kickPlayer, new Refusal('ErrNotFound'))

  const kicked = await testPanel.send(kickPlayer, { params: { id }, body: { player: 'Steve' } }, admin)

  expect([kicked.status, kicked.refusal]).toEqual([501, 'ErrNodeOutdated'])
})

test('every endpoint of a server responds the same under /daemon and /proxy/daemon', async ({ testPanel }) => {
  const id = await testPanel.server()
  const viewer = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })
  const users = [undefined, await testPanel.createUser(), viewer, await testPanel.admin()]
  const different: string[] = []
  for (const { method, path } of proxiedCalls) {
    const url = path.replace(':id', id).replace(/:\w+\*?/g, 'x')
    for (const [at, who] of users.entries()) {
      const ask = async (prefix: string) => {
        const { status, refusal, metadata } = await testPanel.request(method, `${prefix}${url}`, undefined, who)
        return JSON.stringify([status, refusal, metadata])
      }
      const [plain, proxied] = [await ask(''), await ask('/proxy')]
      if (plain !== proxied) different.push(`${method} ${path} as ${at}: ${plain} and ${proxied}`)
    }
  }

  expect(new Set(proxiedCalls.map(({ method }) => method)).size).toBeGreaterThanOrEqual(4)
  expect(different).toEqual([])
})

test('a download from an unreachable node leaves no transfer to re-authorize', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const sessions = sessionsService({ db: testPanel.db, now: Date.now })
  const access = accessService({ db: testPanel.db, resolveToken: sessions.resolve, now: Date.now })
  const principal = await access.principal(admin.token, '')
  const log = pino({ level: 'silent' })
  const transfers = new ActiveTransfers({ access, resolveUncached: async () => [principal], log })
  const nodes = { clientFor: () => Promise.reject(new Refusal('ErrServiceNotAvailable')) }
  const requests = httpProxy({ access, nodes, servers: { refresh: async () => {} }, transfers, log })

  const download = requests.forward({
    principal,
    matchedCall: matchCall('GET', `/daemon/server/${id}/file/world.zip`),
    search: '',
    headers: {},
    body: undefined,
    abort: new AbortController(),
  })

  await expect(download).rejects.toMatchObject({ code: 'ErrServiceNotAvailable' })
  expect(transfers.size).toBe(0)
})

describe('a user who does not read', () => {
  const path = (id: string, call: string) => `/proxy/daemon/server/${id}/${call}`

  test('has a limited number of large responses, without affecting others', async ({ testPanel }) => {
    const [admin, other, id] = [await testPanel.admin(), await testPanel.admin(), await testPanel.server()]
    testPanel.node.answer(calls.getConsole, (_request, response) => {
      response.end(JSON.stringify({ epoch: 1, logs: 'x'.repeat(16 * mebibyte) }))
    })
    const { url } = await testPanel.panel.listen()
    const ask = async (as: TestUser) => {
      const request = openAt(url, { method: 'GET', path: path(id, 'console'), as })
      request.end()
      return { request, response: await answered(request) }
    }
    const unread = []
    for (let at = 0; at < maxLargeResponsesPerUser; at++) unread.push(await ask(admin))

    const refused = await ask(admin)
    const calm = await ask(other)
    const status = await testPanel.request('GET', path(id, 'status'), undefined, admin)

    expect(unread.map(({ response }) => response.statusCode)).toEqual(Array(maxLargeResponsesPerUser).fill(200))
    expect([refused.response.statusCode, calm.response.statusCode, status.status]).toEqual([429, 200, 200])
    for (const { request } of [...unread, refused, calm]) request.destroy()
    await vi.waitUntil(
      async () => {
        const second = await ask(admin)
        second.request.destroy()
        return second.response.statusCode === 200
      },
      { timeout: 20_000 },
    )
  })

  test('has a limited number of concurrent requests', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.answer(getData, () => {})
    const { url } = await testPanel.panel.listen()
    const unanswered = []
    for (let at = 0; at < maxRequestsPerUser; at++) {
      const request = openAt(url, { method: 'GET', path: path(id, 'data'), as: admin })
      request.on('error', () => {}).end()
      unanswered.push(request)
    }
    await vi.waitUntil(() => testPanel.node.received.length === maxRequestsPerUser, { timeout: 20_000 })

    const proxied = await testPanel.request('GET', path(id, 'console'), undefined, admin)
    const ownServers = await testPanel.send(listServers, { query: {} } as never, admin)

    expect([proxied.status, ownServers.status, ownServers.refusal]).toEqual([429, 429, 'ErrTooManyRequests'])
    for (const request of unanswered) request.destroy()
    await vi.waitUntil(async () => (await testPanel.send(listServers, { query: {} } as never, admin)).status === 200, {
      timeout: 20_000,
    })
  })
})
