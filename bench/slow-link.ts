import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a port of this machine on which everything takes half the given time longer, in both directions. */
export async function slowLink(port: number, roundTripMs: number): Promise<{ port: number } & AsyncDisposable> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      // Its other end hears of it when it closes.
      socket.on('error', () => {})
    }
    delay(near, far, roundTripMs / 2)
    delay(far, near, roundTripMs / 2)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function delay(from: Socket, to: Socket, ms: number): void {
  from.on('data', (data) => setTimeout(() => to.writable && to.write(data), ms))
  from.once('end', () => setTimeout(() => to.end(), ms))
}
