import { createSocket } from 'node:dgram'
import { on, once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { QueryTarget } from './protocol.ts'

/** No protocol here needs as many in one query. */
const maxPackets = 256

/** The game at the other end of a socket. */
export interface UdpPeer {
  send(packet: Buffer): void
  /** The next packet of the game. Rejects when nothing listens at its port. */
  receive(): Promise<Buffer>
}

/** Opens a socket that exchanges packets with the target only, until `act` has ended. */
export async function exchange<T>({ host, port, signal }: QueryTarget, act: (peer: UdpPeer) => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  const packets = on(socket, 'message', { signal })
  let received = 0
  try {
    socket.connect(port, host)
    await once(socket, 'connect', { signal })
    return await act({
      send: (packet) => socket.send(packet),
      async receive() {
        if (++received > maxPackets) throw new Error('the game sends too many packets')
        const { value } = (await packets.next()) as IteratorResult<[Buffer], undefined>
        if (!value) throw new Error('the query has ended')
        return value[0]
      },
    })
  } finally {
    await packets.return?.()
    socket.close()
  }
}
