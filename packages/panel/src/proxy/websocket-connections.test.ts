import { once } from 'node:events'
import { connect } from 'node:net'
import { logout, sessionCookie } from '@innkeeper/contract/accounts/auth'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { limits } from '@innkeeper/contract/text/limits'
import { describe, expect, onTestFinished, vi } from 'vitest'
import WebSocket from 'ws'
import { TestPanel, type TestUser, test, testWith } from '../testing/test-panel.ts'
import { maxSocketsPerUser, rejectedMessageRate, socketMessageRate, userMessageRate } from './websocket-connections.ts'

interface Dialling {
  readonly path?: string
  readonly headers?: Record<string, string>
}

function dial(url: string, server: string, { path = '/proxy/daemon/socket', headers = {} }: Dialling): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}${path}/${server}`, { headers })
}

const authHeaders = (user: TestUser) => ({ authorization: `Bearer ${user.token}` })

async function connected(testPanel: TestPanel, user: TestUser, server: string): Promise<WebSocket> {
  const { url } = await testPanel.panel.listen()
  return await connectedTo(url, user, server)
}

async function connectedTo(url: string, user: TestUser, server: string): Promise<WebSocket> {
  const socket = dial(url, server, { headers: authHeaders(user) })
  await once(socket, 'open')
  return socket
}

/** Status and error code of a rejected handshake. */
async function refused(socket: WebSocket): Promise<[number | undefined, string | undefined]> {
  const [, response] = await once(socket, 'unexpected-response')
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return [response.statusCode, refusalFrom(JSON.parse(Buffer.concat(parts).toString()))?.code]
}

async function nextMessage(socket: WebSocket): Promise<string> {
  const [data] = await once(socket, 'message')
  return String(data)
}

describe('joining', () => {
  test.for(['/proxy/daemon/socket', '/daemon/socket'])(
    '%s forwards messages both ways, in order',
    async (path, { testPanel }) => {
      const id = await testPanel.server()
      const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })
      testPanel.node.onSocket = (socket) => {
        socket.send('first')
        socket.on('message', (data) => socket.send(`echo ${data}`))
      }
      const { url } = await testPanel.panel.listen()
      const socket = dial(url, id, { path, headers: authHeaders(user) })
      const messages: string[] = []
      socket.on('message', (data) => messages.push(String(data)))
      await once(socket, 'open')

      for (const text of ['one', 'two', 'three']) socket.send(text)

      await vi.waitUntil(() => messages.length === 4)
      expect(messages).toEqual(['first', 'echo one', 'echo two', 'echo three'])
      expect(testPanel.node.received[0]?.ticket).toMatchObject({
        purpose: 'socket',
        server: id,
        sub: `user:${user.id}`,
      })
    },
  )

  test('a cookie is accepted from our own origin or without an Origin, and not from another site', async ({
    testPanel,
  }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const { url } = await testPanel.panel.listen()
    const cookie = `other=1; ${sessionCookie}=${admin.token}`

    const ownSocket = dial(url, id, { headers: { cookie, origin: url } })
    await once(ownSocket, 'open')
    // Only browsers send an Origin, and they always do.
    const program = dial(url, id, { headers: { cookie } })
    await once(program, 'open')

    const strange: Record<string, string>[] = [
      { cookie, origin: 'http://evil.example' },
      { cookie, origin: `${url}.evil.example` },
      { cookie, origin: url.replace(/:\d+$/, ':1') },
      { cookie, origin: 'null' },
      { origin: url },
    ]
    for (const headers of strange) {
      expect(await refused(dial(url, id, { headers }))).toEqual([401, 'ErrSessionTimedOut'])
    }
  })

  test('a server that the user may not see has no socket', async ({ testPanel }) => {
    const [user, id] = [await testPanel.createUser(), await testPanel.server()]
    const { url } = await testPanel.panel.listen()

    expect(await refused(dial(url, id, { headers: authHeaders(user) }))).toEqual([404, 'ErrServerNotFound'])
    expect(await refused(dial(url, '00000000', { headers: authHeaders(user) }))).toEqual([404, 'ErrServerNotFound'])
    expect(await refused(dial(url, id, {}))).toEqual([401, 'ErrSessionTimedOut'])
    expect(testPanel.node.sockets.size).toBe(0)
  })

  test('an error or outage of the node is the response to the handshake', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const { url } = await testPanel.panel.listen()
    testPanel.node.definitions.delete(id)

    expect(await refused(dial(url, id, { headers: authHeaders(admin) }))).toEqual([404, 'ErrServerNotFound'])
    await testPanel.node.stop()
    expect(await refused(dial(url, id, { headers: authHeaders(admin) }))).toEqual([502, 'ErrServiceNotAvailable'])
  })

  test('a viewer who disconnects during the handshake leaves nothing open', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const { url } = await testPanel.panel.listen()
    const opened = Promise.withResolvers<void>()
    testPanel.node.onSocket = () => opened.resolve()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end(
      `GET /proxy/daemon/socket/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n` +
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )

    await opened.promise

    await vi.waitUntil(() => testPanel.node.sockets.size === 0)
    socket.destroy()
  })

  test('an upgrade request on any other path is handled like a normal request', async ({ testPanel }) => {
    const { url } = await testPanel.panel.listen()

    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/nothing`)

    expect(await refused(socket)).toEqual([404, 'ErrNotFound'])
  })

  test('a request to the socket path without upgrade is not found', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]

    expect((await testPanel.request('GET', `/proxy/daemon/socket/${id}`, undefined, admin)).status).toBe(404)
  })
})

describe('ending', () => {
  test('when the node closes, the viewer receives its reason', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const socket = await connected(testPanel, admin, id)

    for (const live of testPanel.node.sockets) live.close(closeCodes.deleted, 'deleted')

    const [code, reason] = await once(socket, 'close')
    expect([code, String(reason)]).toEqual([closeCodes.deleted, 'deleted'])
  })

  test('when the viewer disconnects, so does the panel', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const socket = await connected(testPanel, admin, id)

    socket.terminate()

    await vi.waitUntil(() => testPanel.node.sockets.size === 0)
  })

  test('a frame that is too large closes the socket', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const socket = await connected(testPanel, admin, id)

    socket.send('x'.repeat(limits.socketFrameBytes + 1))

    const [code] = await once(socket, 'close')
    expect(code).toBe(1009)
    await vi.waitUntil(() => testPanel.node.sockets.size === 0)
  })

  test('a panel that stops closes sockets with a reason', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const socket = await connected(testPanel, admin, id)
    const closed = once(socket, 'close')

    await testPanel.panel.close()

    expect((await closed)[0]).toBe(closeCodes.goingAway)
  })
})

describe('revoking', () => {
  const quickTest = testWith({ socketRecheckMs: 100 })

  test('takes no longer than five seconds', () => {
    expect(limits.socketRecheckMs).toBeLessThan(5_000)
  })

  quickTest('logging out closes the sockets of that session only', async ({ testPanel }) => {
    const [admin, other, id] = [await testPanel.admin(), await testPanel.admin(), await testPanel.server()]
    const socket = await connected(testPanel, admin, id)
    const { port } = new URL(socket.url)
    const kept = dial(`http://127.0.0.1:${port}`, id, { headers: authHeaders(other) })
    await once(kept, 'open')

    await testPanel.send(logout, {}, admin)

    const [code] = await once(socket, 'close', { signal: AbortSignal.timeout(5_000) })
    expect(code).toBe(closeCodes.revoked)
    expect(kept.readyState).toBe(WebSocket.OPEN)
  })

  quickTest('revoking a permission closes the socket', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole', 'stopServer'] } })
    const socket = await connected(testPanel, user, id)

    await testPanel.grant(user.id, id, ['viewServerConsole'])

    const [code] = await once(socket, 'close', { signal: AbortSignal.timeout(5_000) })
    expect(code).toBe(closeCodes.revoked)
    await vi.waitUntil(() => testPanel.node.sockets.size === 0)
  })

  quickTest(
    'ends the output of those who lose access, in the middle of it, and of nobody else',
    async ({ testPanel }) => {
      const id = await testPanel.server()
      const users = await Promise.all(
        Array.from({ length: 6 }, () => testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })),
      )
      const { url } = await testPanel.panel.listen()
      const viewers = await Promise.all(
        users.map(async (user) => {
          const socket = await connectedTo(url, user, id)
          const numbers: number[] = []
          socket.on('message', (data) => numbers.push(Number(data)))
          return { socket, numbers }
        }),
      )
      let printed = 0
      const printing = setInterval(() => {
        printed++
        for (const socket of testPanel.node.sockets) socket.send(String(printed))
      }, 1)
      onTestFinished(() => clearInterval(printing))
      await vi.waitUntil(() => viewers.every(({ numbers }) => numbers.length > 10))

      const [revoked, kept] = [viewers.slice(0, 3), viewers.slice(3)]
      for (const { id: user } of users.slice(0, 3))
        await testPanel.db.deleteFrom('server_users').where('user_id', '=', user).execute()
      const closings = revoked.map(({ socket }) => once(socket, 'close', { signal: AbortSignal.timeout(5_000) }))
      expect((await Promise.all(closings)).map(([code]) => code)).toEqual(revoked.map(() => closeCodes.revoked))
      const last = printed
      await vi.waitUntil(() => kept.every(({ numbers }) => (numbers.at(-1) ?? 0) > last + 10))

      expect(revoked.every(({ numbers }) => (numbers.at(-1) ?? 0) <= last)).toBe(true)
      for (const { numbers } of viewers) expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at))
    },
  )
})

describe('granting', () => {
  const quickTest = testWith({ socketRecheckMs: 100 })

  quickTest('a viewer that gets a permission is told so', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })
    const socket = await connected(testPanel, user, id)
    const received: string[] = []
    socket.on('message', (data) => received.push(String(data)))

    await testPanel.grant(user.id, id, ['viewServerConsole', 'startServer'])
    await vi.waitUntil(() => received.length > 0)

    expect(received).toEqual(['{"type":"permissions","data":{}}'])
  })
})

describe('a viewer that does not read', () => {
  test('applies backpressure to the node, and receives everything later', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const frame = 'x'.repeat(64 * 1024)
    const frames = 800
    const unsent = () => [...testPanel.node.sockets].reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0)
    testPanel.node.onSocket = (socket) => {
      for (let at = 0; at < frames; at++) socket.send(frame)
    }
    const { url } = await testPanel.panel.listen()
    const socket = dial(url, id, { headers: authHeaders(admin) })
    let messages = 0
    socket.on('message', () => messages++)
    socket.once('open', () => socket.pause())
    await once(socket, 'open')

    // Data that the panel did not read stays with the node.
    await vi.waitUntil(async () => {
      const before = unsent()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return unsent() === before
    })
    const passed = frames * frame.length - unsent()
    expect(passed).toBeLessThan(10 * limits.viewerBacklogBytes)
    expect(messages).toBeLessThan(frames)

    socket.resume()

    await vi.waitUntil(() => messages === frames, { timeout: 10_000 })
    await nextMessageAfter(testPanel, socket)
  })

  test('is not acknowledged before it has read', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    let hasRead = false
    testPanel.node.onSocket = (socket) => socket.on('pong', () => (hasRead = true))
    const socket = await connected(testPanel, admin, id)
    const [live] = testPanel.node.sockets
    socket.pause()

    live?.send('x'.repeat(limits.liveResponseBytes), () => live.ping('large'))

    // The panel has read the frame of the node, and cannot send all of it.
    await vi.waitUntil(() => live?.bufferedAmount === 0)
    await expect(vi.waitUntil(() => hasRead, { timeout: 300 })).rejects.toThrow()
    socket.resume()
    await vi.waitUntil(() => hasRead)
  })
})

describe('a viewer that sends too many messages', () => {
  const messagesTo = (testPanel: TestPanel): string[] => {
    const messages: string[] = []
    testPanel.node.onSocket = (socket) => socket.on('message', (data) => messages.push(String(data)))
    return messages
  }

  test('gets an error for each message, and is disconnected in the end', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const messages = messagesTo(testPanel)
    const socket = await connected(testPanel, admin, id)
    const closeReasons: string[] = []
    socket.on('message', (data) => closeReasons.push(String(data)))
    const closed = once(socket, 'close')

    for (let at = 0; at < 5_000; at++) socket.send('{"type":"ping"}')

    const [code, reason] = await closed
    expect([code, String(reason)]).toEqual([closeCodes.tooManyMessages, 'too many messages'])
    expect(JSON.parse(closeReasons[0] ?? '')).toMatchObject({ type: 'error', data: { code: 'ErrTooManyRequests' } })
    expect(closeReasons.length).toBeGreaterThanOrEqual(rejectedMessageRate.burst)
    expect(messages.length).toBeGreaterThanOrEqual(socketMessageRate.burst)
    expect(messages.length).toBeLessThan(2 * socketMessageRate.burst)
  })

  test("has one limit for all of its user's sockets, and other users are not affected", async ({ testPanel }) => {
    const [admin, other, id] = [await testPanel.admin(), await testPanel.admin(), await testPanel.server()]
    const messages = messagesTo(testPanel)
    const { url } = await testPanel.panel.listen()
    const sockets = await Promise.all(Array.from({ length: 8 }, () => connectedTo(url, admin, id)))

    for (const socket of sockets) for (let at = 0; at < 150; at++) socket.send('{"type":"ping"}')
    await vi.waitUntil(() => messages.length >= userMessageRate.burst)
    const calm = await connectedTo(url, other, id)
    calm.send('{"type":"status"}')

    await vi.waitUntil(() => messages.includes('{"type":"status"}'))
    expect(messages.length).toBeLessThan(8 * 150)
  })
})

test('concurrent handshakes cannot exceed the limit of sockets per user', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const { url } = await testPanel.panel.listen()

  const answers = await Promise.all(
    Array.from({ length: maxSocketsPerUser + 20 }, () => {
      const socket = dial(url, id, { headers: authHeaders(admin) })
      return Promise.race([once(socket, 'open').then(() => 'open'), refused(socket)])
    }),
  )

  expect(answers.filter((answer) => answer === 'open')).toHaveLength(maxSocketsPerUser)
  expect(answers.filter((answer) => answer !== 'open')).toEqual(Array(20).fill([429, 'ErrTooManyRequests']))
})

test('a viewer that does not respond to pings is disconnected', async () => {
  const testPanel = await TestPanel.start({ socketPingEveryMs: 20 })
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const { url } = await testPanel.panel.listen()
  const [socket, living] = [await connectedTo(url, admin, id), await connectedTo(url, admin, id)]

  socket.pause()

  await vi.waitUntil(() => testPanel.node.sockets.size === 1, { timeout: 10_000 })
  expect(living.readyState).toBe(WebSocket.OPEN)
  await testPanel.stop()
})

/** Checks that the socket still works. */
async function nextMessageAfter(testPanel: TestPanel, socket: WebSocket): Promise<void> {
  const next = nextMessage(socket)
  for (const live of testPanel.node.sockets) live.send('still here')
  expect(await next).toBe('still here')
}
