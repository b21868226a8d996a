import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ListenOptions, SleepListener } from './listening.ts'
import type { TcpProtocol } from './protocols/protocol.ts'

const maxConnections = 64
const maxConnectionsPerAddress = 8
/** No first packets of a player are larger. */
const maxReceivedBytes = 4_096
const maxMs = 5_000

/** Answers connections that are short. What is not of the protocol is closed without an answer. */
export async function listenOverTcp(
  protocol: TcpProtocol,
  { host, port, ...handling }: ListenOptions,
): Promise<SleepListener> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const { remoteAddress: address = '' } = socket
    const own = [...sockets].filter(({ remoteAddress }) => remoteAddress === address)
    if (own.length >= maxConnectionsPerAddress) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    serveConnection(protocol, socket, handling)
  })
  server.maxConnections = maxConnections
  server.listen(port, host)
  await once(server, 'listening')
  server.on('error', () => {})
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      // Their last answers are sent: a player must read why the login was refused.
      for (const socket of sockets) socket.destroySoon()
      await closed
    },
  }
}

function serveConnection(
  protocol: TcpProtocol,
  socket: Socket,
  { status, onJoin }: Pick<ListenOptions, 'status' | 'onJoin'>,
): void {
  const { remoteAddress: address = '' } = socket
  let received: Buffer = Buffer.alloc(0)
  let answered = 0
  const timer = setTimeout(() => socket.destroy(), maxMs)
  socket.on('close', () => clearTimeout(timer))
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    if (received.length > maxReceivedBytes) {
      socket.destroy()
      return
    }
    try {
      const { answers, join, isDone } = protocol.reply(received, status)
      for (const answer of answers.slice(answered)) socket.write(answer)
      answered = answers.length
      if (isDone) {
        socket.removeAllListeners('data').resume().end()
      }
      if (join) onJoin(join, address)
    } catch {
      // It is not of the protocol.
      socket.destroy()
    }
  })
}
