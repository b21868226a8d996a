import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { putFile } from '@innkeeper/contract/servers/files'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { withOpenFiles } from './testing/innkeeper-process.ts'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

const definition = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }

/** Opens connections that send nothing, a hundred at a time. */
async function hold(port: number, count: number, getAddress: (index: number) => string): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let from = 0; from < count; from += 100) {
    const more = Array.from({ length: 100 }, (_, index) =>
      connect({ port, host: '127.0.0.1', localAddress: getAddress(from + index) }).on('error', () => {}),
    )
    await Promise.all(more.map((socket) => once(socket, 'connect')))
    sockets.push(...more)
  }
  return sockets
}

test('servers start, answer in the console and get files while thousands of connections are held open', {
  timeout: 90_000,
}, async () => {
  // A low limit, which more connections than it allows would use up.
  const command = withOpenFiles(2_048)
  await using installation = await TestInstallation.start(undefined, {}, command)
  await using node = await RemoteNode.join(installation, {}, command)
  const params = await Promise.all(
    [0, node.id].map((at) => installation.send(createServer, { body: { ...definition, name: `on ${at}`, node: at } })),
  )

  const one = () => '127.0.0.1'
  const many = (index: number) => `127.1.${index >> 8}.${index & 255}`
  const sockets = (
    await Promise.all([
      hold(installation.port, 1_000, one),
      hold(installation.port, 4_000, many),
      hold(node.port, 1_000, one),
      hold(node.port, 3_000, many),
      hold(installation.sftpPort, 200, one),
      hold(installation.sftpPort, 2_000, many),
    ])
  ).flat()

  for (const { id } of params) {
    const console = new WebSocket(`${installation.url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
      headers: { authorization: `Bearer ${installation.token}` },
    })
    let text = ''
    console.on('message', (data) => {
      text += data
    })
    await once(console, 'open')
    await installation.send(startServer, { params: { id }, query: { wait: 'true' } })
    await installation.send(sendCommand, { params: { id }, body: 'are you there' })
    await vi.waitUntil(() => text.includes('are you there'), { timeout: 10_000 })
    await installation.send(putFile, { params: { id, path: 'a.txt' }, body: 'text' } as never)
    console.terminate()
  }
  for (const socket of sockets) socket.destroy()
})
