import { once } from 'node:events'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { encode, isShareRequest } from '@innkeeper/contract/servers/shared-output'
import { limits } from '@innkeeper/contract/text/limits'
import { expect, vi } from 'vitest'
import WebSocket from 'ws'
import { type TestPanel, testWith } from '../testing/test-panel.ts'

const test = testWith({ socketRecheckMs: 100 })

const output = (from: number, to: number, text = '') =>
  JSON.stringify({ type: 'console', data: { logs: [text], epoch: 1, from, to } })

interface Server {
  readonly testPanel: TestPanel
  readonly id: string
  readonly url: string
}

/** A viewer, and its live socket at the node. */
class Viewer {
  readonly received: string[] = []
  readonly socket: WebSocket
  readonly live: WebSocket
  readonly userId: number
  /** Requests of the panel to share output. */
  readonly requests: () => number

  private constructor(socket: WebSocket, live: WebSocket, userId: number, requests: () => number) {
    this.socket = socket
    this.live = live
    this.userId = userId
    this.requests = requests
    socket.on('message', (data) => this.received.push(String(data)))
  }

  static async open(
    { testPanel, id, url }: Server,
    permissions: readonly ServerPermission[] = ['viewServerConsole'],
  ): Promise<Viewer> {
    const { id: userId, token } = await testPanel.createUser({ on: { [id]: permissions } })
    const opened = Promise.withResolvers<WebSocket>()
    let requests = 0
    testPanel.node.onSocket = (live) => {
      live.on('message', (data, isBinary) => {
        if (isBinary && isShareRequest(data as Buffer)) requests++
      })
      opened.resolve(live)
    }
    const headers = { authorization: `Bearer ${token}` }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, { headers })
    const viewer = new Viewer(socket, await opened.promise, userId, () => requests)
    if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open')
    return viewer
  }

  /** A viewer that gets all output after a position from the stream. */
  static async shared(server: Server, to: number): Promise<Viewer> {
    const viewer = await Viewer.open(server)
    await viewer.untilRequested(1)
    viewer.live.send(encode({ type: 'shared', to }))
    await viewer.untilRead()
    return viewer
  }

  async untilRequested(count: number): Promise<void> {
    await vi.waitUntil(() => this.requests() === count)
  }

  async untilReceived(messages: readonly string[]): Promise<void> {
    await vi.waitFor(() => expect(this.received).toEqual(messages))
  }

  /** Waits until the panel has read what the node sent before. */
  async untilRead(): Promise<void> {
    const answered = once(this.live, 'pong')
    this.live.ping()
    await answered
  }
}

/** A server on a node that shares output. */
async function sharing(testPanel: TestPanel) {
  testPanel.node.sharesOutput = true
  const { url } = await testPanel.panel.listen()
  const server = { testPanel, id: await testPanel.server(), url }
  const send = (message: string) => {
    for (const socket of testPanel.node.outputs) socket.send(message)
  }
  return { server, send }
}

test('viewers of a server share one socket, each from its own position on, and the last one closes it', async ({
  testPanel,
}) => {
  const { server, send } = await sharing(testPanel)
  const [early, late] = [await Viewer.open(server), await Viewer.open(server)]
  for (const viewer of [early, late]) await viewer.untilRequested(1)

  early.live.send(output(0, 10))
  early.live.send(encode({ type: 'shared', to: 10 }))
  send(output(0, 10))
  send(output(10, 20))
  await early.untilReceived([output(0, 10), output(10, 20)])
  late.live.send(output(10, 20))
  late.live.send(output(20, 30))
  send(output(20, 30))
  late.live.send(encode({ type: 'shared', to: 30 }))
  send(output(30, 40))

  await early.untilReceived([output(0, 10), output(10, 20), output(20, 30), output(30, 40)])
  await late.untilReceived([output(10, 20), output(20, 30), output(30, 40)])
  expect(testPanel.node.outputs.size).toBe(1)
  expect(testPanel.node.received.find(({ ticket }) => ticket.purpose === 'output')?.ticket).toMatchObject({
    sub: 'panel',
    server: server.id,
    rights: ['viewServerConsole'],
  })
  early.socket.terminate()
  await vi.waitUntil(() => testPanel.node.sockets.size === 1)
  expect(testPanel.node.outputs.size).toBe(1)
  late.socket.terminate()
  await vi.waitUntil(() => testPanel.node.outputs.size === 0)
})

test('a message of the stream reaches viewers byte for byte', async ({ testPanel }) => {
  const { server, send } = await sharing(testPanel)
  const viewer = await Viewer.shared(server, 0)
  const message = ` {"data":{"logs":["\\u001b[0m ü\\u0000"],"to":9,"from":0,"epoch":1,"more":{}},"type":"console"}`

  send('{"type":"status","data":{}}')
  send('no json')
  send(message)

  await viewer.untilReceived([message])
})

test('a replay is not mixed with shared output, which continues after it', async ({ testPanel }) => {
  const { server, send } = await sharing(testPanel)
  const viewer = await Viewer.shared(server, 0)
  send(output(0, 10))
  await viewer.untilReceived([output(0, 10)])

  viewer.live.send(encode({ type: 'unshared' }))
  await viewer.untilRequested(2)
  viewer.live.send('replay')
  send(output(10, 20))
  send(output(20, 30))
  viewer.live.send(output(0, 10))
  viewer.live.send(output(10, 20))
  await viewer.untilReceived([output(0, 10), 'replay', output(0, 10), output(10, 20)])
  viewer.live.send(encode({ type: 'shared', to: 20 }))

  await viewer.untilReceived([output(0, 10), 'replay', output(0, 10), output(10, 20), output(20, 30)])
})

test('a viewer without the permission for the console gets no shared output, whatever it sends', async ({
  testPanel,
}) => {
  const { server, send } = await sharing(testPanel)
  const [viewer, stranger] = [await Viewer.shared(server, 0), await Viewer.open(server, ['viewServerStats'])]
  const frames: string[] = []
  stranger.live.on('message', (data) => frames.push(String(data)))

  stranger.socket.send(encode({ type: 'share' }))
  stranger.socket.send(encode({ type: 'shared', to: 0 }))
  stranger.socket.send('{"type":"ping"}')
  stranger.live.send(encode({ type: 'shared', to: 0 }))
  await stranger.untilRead()
  send(output(0, 10))
  await viewer.untilReceived([output(0, 10)])
  await stranger.untilRead()

  await vi.waitUntil(() => frames.length > 0)
  expect(frames).toEqual(['{"type":"ping"}'])
  expect(stranger.requests()).toBe(0)
  expect(stranger.received).toEqual([])
})

test('a viewer whose access ends gets no further output, and the others do', async ({ testPanel }) => {
  const { server, send } = await sharing(testPanel)
  const [revoked, kept] = [await Viewer.shared(server, 0), await Viewer.shared(server, 0)]
  const closed = once(revoked.socket, 'close')

  await testPanel.grant(revoked.userId, server.id, [])
  const [code] = await closed
  send(output(0, 10))

  await kept.untilReceived([output(0, 10)])
  expect([code, revoked.received]).toEqual([closeCodes.revoked, []])
})

test('when the stream ends, viewers that depend on it end with its code, others keep their output', async ({
  testPanel,
}) => {
  const { server } = await sharing(testPanel)
  const [shared, own] = [await Viewer.shared(server, 0), await Viewer.open(server)]
  await own.untilRequested(1)
  const closed = once(shared.socket, 'close')

  for (const socket of testPanel.node.outputs) socket.close(closeCodes.goingAway, 'the node stops')

  const [code, reason] = await closed
  expect([code, String(reason)]).toEqual([closeCodes.goingAway, 'the node stops'])
  own.live.send(output(0, 10))
  await own.untilReceived([output(0, 10)])

  const next = await Viewer.shared(server, 10)
  expect(testPanel.node.outputs.size).toBe(1)
  const ended = once(own.socket, 'close')
  own.live.send(encode({ type: 'shared', to: 10 }))
  await ended
  expect(next.socket.readyState).toBe(WebSocket.OPEN)
})

test('a viewer that does not read loses output of the stream beyond its limit, delays no other viewer, and reads the rest in order', async ({
  testPanel,
}) => {
  const { server, send } = await sharing(testPanel)
  const [slow, quick] = [await Viewer.shared(server, 0), await Viewer.shared(server, 0)]
  const [text, count] = ['x'.repeat(32 * 1024), 400]
  slow.socket.pause()

  for (let at = 0; at < count; at++) {
    send(output(at, at + 1, text))
    if (at % 20 === 0) await vi.waitUntil(() => quick.received.length === at + 1)
  }
  slow.socket.resume()
  const positions = () => slow.received.map((message) => (JSON.parse(message) as { data: { to: number } }).data.to)
  await vi.waitUntil(() => positions().at(-1) === count, { timeout: 10_000 })

  expect(positions()).toEqual(positions().toSorted((one, other) => one - other))
  expect(new Set(positions()).size).toBe(positions().length)
  // What is buffered for it, and what the kernel buffers.
  const kept = slow.received.length * text.length
  expect(kept).toBeGreaterThan(4 * limits.viewerBacklogBytes)
  expect(slow.received.length).toBeLessThan(count)
})

test('messages of the node reach a viewer that reads slowly between shared output', async ({ testPanel }) => {
  const { server, send } = await sharing(testPanel)
  const viewer = await Viewer.shared(server, 0)
  const text = 'x'.repeat(64 * 1024)
  viewer.socket.pause()
  for (let at = 0; at < 200; at++) send(output(at, at + 1, text))
  for (let at = 0; at < 50; at++) viewer.live.send(JSON.stringify({ type: 'status', data: { at, text } }))
  await vi.waitUntil(() => [...testPanel.node.outputs].every(({ bufferedAmount }) => bufferedAmount === 0))

  viewer.socket.resume()

  const statuses = () => viewer.received.filter((message) => message.startsWith('{"type":"status"'))
  await vi.waitUntil(() => statuses().length === 50, { timeout: 10_000 })
  await vi.waitUntil(() => viewer.received.some((message) => message === output(199, 200, text)))
})
