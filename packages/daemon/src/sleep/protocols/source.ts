import { infoRequest, packetTypes, singlePacketHeader } from '../../players/protocols/source.ts'
import type { LastStatus, UdpProtocol } from './protocol.ts'

const maxPacketBytes = 1_400
const joinTypes = { challenge: 0x71, connect: 0x6b } as const
const minJoinBytes = { challenge: 12, connect: 20 } as const
const dedicated = 0x64
const linux = 0x6c

/** Games with the Source engine: A2S_INFO, only with the challenge, and the first packets of a player. */
export const source: UdpProtocol = {
  transport: 'udp',
  reply(packet, { token }, status) {
    if (packet.length > maxPacketBytes || !packet.subarray(0, singlePacketHeader.length).equals(singlePacketHeader))
      return undefined
    if (packet.subarray(0, infoRequest.length).equals(infoRequest)) {
      const challenge = packet.subarray(infoRequest.length)
      const answer = challenge.equals(token)
        ? info(status)
        : Buffer.concat([Buffer.from([packetTypes.challenge]), token])
      return { answer: Buffer.concat([singlePacketHeader, answer]) }
    }
    return isJoin(packet) ? { join: {} } : undefined
  },
}

function isJoin(packet: Buffer): boolean {
  const type = packet[singlePacketHeader.length]
  if (type === joinTypes.challenge) return packet.length >= minJoinBytes.challenge
  if (type === joinTypes.connect) return packet.length >= minJoinBytes.connect
  // The older engine.
  return /^(?:getchallenge steam|connect \d+ )/.test(packet.toString('latin1', singlePacketHeader.length))
}

function info({ name = '', map = '', version = '', players }: LastStatus): Buffer {
  const text = (value: string) => Buffer.from(`${value.replaceAll('\0', '')}\0`)
  return Buffer.concat([
    Buffer.from([packetTypes.info, 17]),
    text(name),
    text(map),
    // The folder and the title of the game, and its ID.
    Buffer.alloc(1 + 1 + 2),
    // Players, places and bots.
    Buffer.from([0, Math.min(players.max, 255), 0]),
    Buffer.from([dedicated, linux, 0, 0]),
    text(version),
    Buffer.from([0]),
  ])
}
