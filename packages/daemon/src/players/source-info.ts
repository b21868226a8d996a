import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Players, QueryTarget } from './players.ts'

const header = Buffer.from([0xff, 0xff, 0xff, 0xff])
const request = Buffer.concat([header, Buffer.from('TSource Engine Query\0')])
const challengeType = 0x41
const infoType = 0x49
/** A server answers with one challenge; another one or two happen when it has just changed. */
const maxRequests = 3

/** Asks a game server on Steam with A2S_INFO. Rejects when it does not answer as expected. */
export async function readSourcePlayers({ host, port, signal }: QueryTarget): Promise<Players> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', signal })
  try {
    socket.connect(port, host)
    await once(socket, 'connect', { signal })
    let challenge: Buffer = Buffer.alloc(0)
    for (let sent = 0; sent < maxRequests; sent++) {
      const response = await exchange(socket, Buffer.concat([request, challenge]), signal)
      if (!response.subarray(0, 4).equals(header)) break
      if (response[4] === infoType) return playersIn(response)
      if (response[4] !== challengeType || response.length < 9) break
      challenge = response.subarray(5, 9)
    }
    throw new Error('this is not an answer to A2S_INFO')
  } finally {
    if (!signal.aborted) socket.close()
  }
}

async function exchange(socket: Socket, message: Buffer, signal: AbortSignal): Promise<Buffer> {
  const answered = once(socket, 'message', { signal }) as Promise<[Buffer]>
  socket.send(message)
  const [response] = await answered
  return response
}

/** After the version of the protocol come four texts and the ID of the game, in two bytes. */
function playersIn(response: Buffer): Players {
  let at = 6
  for (let text = 0; text < 4; text++) {
    const end = response.indexOf(0, at)
    if (end === -1) throw new Error('the answer is too short')
    at = end + 1
  }
  const [online, max] = [response[at + 2], response[at + 3]]
  if (online === undefined || max === undefined) throw new Error('the answer is too short')
  return { online, max }
}
