import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to a local port that adds half of the round-trip time in each direction. */
export async function slowLink(port: number, roundTripMs: number): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      // A `close` event follows.
      socket.on('error', () => {})
    }
    delay(incoming, outgoing, roundTripMs / 2)
    delay(outgoing, incoming, roundTripMs / 2)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function delay(from: Socket, to: Socket, ms: number): void {
  from.on('data', (data) => setTimeout(() => to.writable && to.write(data), ms))
  from.once('end', () => setTimeout(() => to.end(), ms))
}
