import { once } from 'node:events'
import { performServerHandshake } from 'node:http2'
import { connect, createServer, type Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { maxTunnelStreams, tunnelSessionOptions } from '@innkeeper/contract/node-link/tunnel'
import pino from 'pino'
import { test as base, expect, vi } from 'vitest'
import { NodeTunnels } from './node-tunnels.ts'

/** The two ends of a connection. */
async function connection(): Promise<{ readonly panel: Socket; readonly node: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const node = connect(port, '127.0.0.1')
  const [panel] = (await once(server, 'connection')) as [Socket]
  server.close()
  return { panel, node }
}

const test = base.extend<{ open: (nodeId: number) => Promise<{ silence: () => void }>; tunnels: NodeTunnels }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  tunnels: async ({}, use) => {
    const tunnels = new NodeTunnels({ log: pino({ enabled: false }), pings: { everyMs: 50, timeoutMs: 1_500 } })
    await use(tunnels)
    tunnels.closeAll()
  },
  // Opens the tunnel of a node, which can stop to read. On each connection the node says its ID.
  open: async ({ tunnels }, use) => {
    const sockets: Socket[] = []
    await use(async (nodeId) => {
      const { panel, node } = await connection()
      sockets.push(node)
      node.on('error', () => {})
      const [inner, outer] = duplexPair()
      node.pipe(outer).pipe(node)
      const session = performServerHandshake(inner, tunnelSessionOptions)
      session.on('error', () => {})
      session.on('stream', (stream) => {
        stream.on('error', () => {})
        stream.respond({ ':status': 200 })
        stream.write(`node ${nodeId}`)
      })
      tunnels.add({ nodeId, joinedAt: 0 }, panel)
      return { silence: () => void node.unpipe(outer) }
    })
    for (const socket of sockets) socket.destroy()
  },
})

async function read(stream: Duplex | undefined): Promise<string> {
  if (!stream) throw new Error('there is no tunnel')
  const [data] = (await once(stream, 'data')) as [Buffer]
  return String(data)
}

test('a connection goes through the tunnel of its node, and not through that of another', async ({ tunnels, open }) => {
  await open(1)
  await open(2)

  expect(await Promise.all([2, 1, 2].map((nodeId) => read(tunnels.openStream(nodeId))))).toEqual([
    ...['node 2', 'node 1', 'node 2'],
  ])
  expect(tunnels.openStream(3)).toBeUndefined()
  tunnels.close(1)
  expect(tunnels.openStream(1)).toBeUndefined()
  expect(await read(tunnels.openStream(2))).toBe('node 2')
})

test('a tunnel has a limit of connections, and a closed one makes room', async ({ tunnels, open }) => {
  await open(1)
  const streams = Array.from({ length: maxTunnelStreams }, () => tunnels.openStream(1))
  await Promise.all(streams.map(read))

  expect(() => tunnels.openStream(1)).toThrow('Too many connections are open to this node.')
  streams[0]?.destroy()
  await vi.waitFor(async () => expect(await read(tunnels.openStream(1))).toBe('node 1'))
})

test('a tunnel whose node does not answer pings is closed, and one that answers is kept', async ({ tunnels, open }) => {
  const silent = await open(1)
  await open(2)
  await read(tunnels.openStream(1))

  silent.silence()

  await vi.waitFor(() => expect(tunnels.has(1)).toBe(false), { timeout: 10_000 })
  expect(await read(tunnels.openStream(2))).toBe('node 2')
})
