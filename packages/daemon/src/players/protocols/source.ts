import type { PlayerName } from '@innkeeper/contract/servers/players'
import { withTimeout } from '../../concurrency/timeout.ts'
import { PacketReader } from './packet-reader.ts'
import type { GameAnswer, QueryTarget } from './protocol.ts'
import { exchange, type UdpPeer } from './udp.ts'

/** Before a packet that is not in parts. */
export const singlePacketHeader = Buffer.from([0xff, 0xff, 0xff, 0xff])
const part = Buffer.from([0xfe, 0xff, 0xff, 0xff])
/** The largest answer of a real game has 255 players, in about 10 packets. */
const maxParts = 32

export const infoRequest = Buffer.concat([singlePacketHeader, Buffer.from('TSource Engine Query\0')])
const playersRequest = Buffer.concat([singlePacketHeader, Buffer.from('U')])
/** The request of players has a challenge in any case; this one asks for it. */
const noChallenge = singlePacketHeader
export const packetTypes = { challenge: 0x41, info: 0x49, players: 0x44 } as const
/** A server answers with one challenge; another one or two happen when it has just changed. */
const maxRequests = 3
/** Games answer within a few milliseconds, or do not list their players. */
const playersMs = 500
/** Has three bytes more than other games. */
const theShip = 2400

/** Asks a game server on Steam with A2S_INFO, and A2S_PLAYER for the names of its players. */
export async function readSource(target: QueryTarget): Promise<GameAnswer> {
  return await exchange(target, async (peer) => {
    const { answer, challenge } = await ask(peer, infoRequest, packetTypes.info)
    const info = parseInfo(answer)
    // The list does not tell bots from people.
    if (info.online === 0 || info.bots) return info
    const names = await readNames(peer, challenge)
    // A game that hides its players lists something else.
    return { ...info, names: names && names.length <= info.online ? names : undefined }
  })
}

/** Undefined when the game does not tell them. Most games take the challenge of the request before. */
async function readNames(peer: UdpPeer, challenge: Buffer): Promise<PlayerName[] | undefined> {
  const firstChallenge = challenge.length > 0 ? challenge : noChallenge
  const asked = ask(peer, playersRequest, packetTypes.players, firstChallenge).then(({ answer }) =>
    parsePlayers(answer),
  )
  const timeout = { ms: playersMs, error: () => new Error('the game does not list its players') }
  return await withTimeout(asked, timeout).catch(() => undefined)
}

interface Answer {
  readonly answer: Buffer
  /** The one that the game has accepted; empty when it asked for none. */
  readonly challenge: Buffer
}

async function ask(
  peer: UdpPeer,
  request: Buffer,
  type: number,
  firstChallenge: Buffer = Buffer.alloc(0),
): Promise<Answer> {
  let challenge = firstChallenge
  for (let sent = 0; sent < maxRequests; sent++) {
    peer.send(Buffer.concat([request, challenge]))
    const answer = await receiveWhole(peer)
    if (answer[0] === type) return { answer: answer.subarray(1), challenge }
    if (answer[0] !== packetTypes.challenge || answer.length < 5) break
    challenge = answer.subarray(1, 5)
  }
  throw new Error('this is not an answer to A2S')
}

/** The next answer without its header, which may come in several packets. */
async function receiveWhole(peer: UdpPeer): Promise<Buffer> {
  const parts = new Map<number, Buffer>()
  for (;;) {
    const reader = new PacketReader(await peer.receive())
    if (reader.skipIf(singlePacketHeader)) return reader.rest
    if (!reader.skipIf(part)) throw new Error('this is not an answer to A2S')
    const isCompressed = reader.uint32le() >= 2 ** 31
    const [count, number] = [reader.uint8(), reader.uint8()]
    if (isCompressed || count > maxParts || number >= count)
      throw new Error('the parts of the answer are not supported')
    // The size of the parts.
    reader.uint16le()
    parts.set(number, reader.rest)
    if (parts.size < count) continue
    const whole = new PacketReader(Buffer.concat(Array.from({ length: count }, (_, at) => parts.get(at) as Buffer)))
    whole.skipIf(singlePacketHeader)
    return whole.rest
  }
}

function parseInfo(answer: Buffer): GameAnswer {
  const reader = new PacketReader(answer)
  // The version of the protocol.
  reader.uint8()
  const [name, map] = [reader.text(), reader.text()]
  // The folder and the title of the game.
  reader.text()
  reader.text()
  const game = reader.uint16le()
  const [players, max, bots] = [reader.uint8(), reader.uint8(), reader.uint8()]
  // The type of the server, its system, whether it has a password, and whether it is protected from cheats.
  reader.bytes(4)
  if (game === theShip) reader.bytes(3)
  return { name, map, online: Math.max(0, players - bots), max, bots, version: reader.text() }
}

/** Players who are still connecting have no name. */
function parsePlayers(answer: Buffer): PlayerName[] {
  const reader = new PacketReader(answer)
  const count = reader.uint8()
  const names: string[] = []
  for (let at = 0; at < count && !reader.isAtEnd; at++) {
    reader.uint8()
    names.push(reader.text())
    // Score and time.
    reader.bytes(8)
  }
  return names.filter((name) => name !== '').map((name) => ({ name }))
}
