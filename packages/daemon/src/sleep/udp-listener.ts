import { createHmac, randomBytes } from 'node:crypto'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { AnswerLimiter } from './answer-limiter.ts'
import type { ListenOptions, SleepListener } from './listening.ts'
import type { UdpProtocol, UdpReply } from './protocols/protocol.ts'

const tokenBytes = 4

/** Answers packets, few in a second. */
export async function listenOverUdp(
  protocol: UdpProtocol,
  { host, port, status, onJoin }: ListenOptions,
): Promise<SleepListener> {
  const secret = randomBytes(32)
  const limiter = new AnswerLimiter()
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  const onMessage = (packet: Buffer, from: RemoteInfo) => {
    const { answer, join } = replyTo(packet, from) ?? {}
    // An answer that cannot be sent is dropped: the client asks again.
    if (answer && limiter.isAllowed(from.address)) socket.send(answer, from.port, from.address, () => {})
    if (join) onJoin(join, from.address)
  }
  const replyTo = (packet: Buffer, from: RemoteInfo): UdpReply | undefined => {
    const token = createHmac('sha256', secret).update(`${from.address}/${from.port}`).digest().subarray(0, tokenBytes)
    try {
      return protocol.reply(packet, { token }, status)
    } catch {
      // It is shorter than a packet of the protocol.
      return undefined
    }
  }
  socket.bind(port, host)
  await once(socket, 'listening')
  socket.on('message', onMessage).on('error', () => {})
  return {
    port: socket.address().port,
    close: async () => {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
