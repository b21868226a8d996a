import { PacketReader } from '../../players/protocols/packet-reader.ts'
import {
  connectionlessHeader,
  ffBytes,
  getInfoRequest,
  infoHeader06,
  infoHeader07,
  infoHeaderOfDdnet,
  tokenRequestBytes,
} from '../../players/protocols/teeworlds.ts'
import { type LastStatus, type UdpProtocol, type UdpReply, wakingText } from './protocol.ts'

const requestInfo = getInfoRequest.subarray(0, 4)
const control06 = Buffer.from([0x10, 0, 0])
const control07 = Buffer.from([0x04, 0, 0])
const controls = { connect: 1, close: 4, token: 5 } as const
const head06 = ffBytes(10)
const headOfDdnet = Buffer.from('xe')

/** Teeworlds 0.6 and 0.7 and DDNet: the status, and the first packet of a player, which clients repeat. */
export const teeworlds: UdpProtocol = {
  transport: 'udp',
  reply(packet, { token }, status): UdpReply | undefined {
    const reader = new PacketReader(packet)
    if (reader.skipIf(head06)) return reply06(reader, status)
    if (reader.skipIf(headOfDdnet)) return replyOfDdnet(reader, status)
    if (reader.skipIf(control06)) return reader.uint8() === controls.connect ? { join: {} } : undefined
    if (reader.skipIf(control07)) return replyToControl07(reader, packet.length, token)
    return reader.skipIf(connectionlessHeader) ? reply07(reader, token, status) : undefined
  },
}

function reply06(reader: PacketReader, status: LastStatus): UdpReply | undefined {
  if (!reader.skipIf(requestInfo)) return undefined
  const { name, map, version, max } = toTexts(status)
  const counts = ['0', max, '0', max]
  return {
    answer: Buffer.concat([infoHeader06, texts(String(reader.uint8()), version, name, map, '', '0', ...counts)]),
  }
}

function replyOfDdnet(reader: PacketReader, status: LastStatus): UdpReply | undefined {
  const extra = reader.uint16be()
  reader.bytes(2)
  if (!reader.skipIf(ffBytes(4)) || !reader.skipIf(requestInfo)) return undefined
  const token = String(extra * 256 + reader.uint8())
  const { name, map, version, max } = toTexts(status)
  // The checksum and the size of the map, the type of game, and that there is no password.
  const more = ['0', '0', '', '0']
  return {
    answer: Buffer.concat([infoHeaderOfDdnet, texts(token, version, name, map, ...more, '0', max, '0', max, '')]),
  }
}

/** Only large packets are answered, as the game does it: so its answers are no use for attacks on others. */
function replyToControl07(reader: PacketReader, packetBytes: number, token: Buffer): UdpReply | undefined {
  const isToServer = reader.skipIf(token)
  if (!isToServer && !reader.skipIf(ffBytes(4))) return undefined
  const control = reader.uint8()
  if (packetBytes < tokenRequestBytes) return undefined
  // The token of the game is another one: this client cannot go on.
  if (control === controls.connect && isToServer)
    return { answer: packet07(reader.bytes(4), controls.close, texts(wakingText)), join: {} }
  if (control !== controls.token) return undefined
  return { answer: packet07(reader.bytes(4), controls.token, token) }
}

function packet07(clientToken: Buffer, control: number, content: Buffer): Buffer {
  return Buffer.concat([control07, clientToken, Buffer.from([control]), content])
}

function reply07(reader: PacketReader, token: Buffer, status: LastStatus): UdpReply | undefined {
  if (!reader.skipIf(token)) return undefined
  const clientToken = reader.bytes(4)
  if (!reader.skipIf(ffBytes(4)) || !reader.skipIf(requestInfo)) return undefined
  const { name, map, version } = toTexts(status)
  const max = integer(Math.min(status.players.max, maxInteger))
  const none = integer(0)
  return {
    answer: Buffer.concat([
      Buffer.concat([connectionlessHeader, clientToken, token, infoHeader07, reader.rest.subarray(0, 5)]),
      texts(version, name, '', map, ''),
      // Flags, level, players, places of players, clients, and their places.
      Buffer.concat([none, none, none, max, none, max]),
    ]),
  }
}

const maxInteger = 0x1fff

/** 6 bits with the sign, then 7 bits in the next byte. */
function integer(value: number): Buffer {
  return value <= 0x3f ? Buffer.from([value]) : Buffer.from([(value & 0x3f) | 0x80, value >> 6])
}

function toTexts({ name = '', map = '', version = '', players }: LastStatus) {
  return { name, map, version, max: String(players.max) }
}

function texts(...values: readonly string[]): Buffer {
  return Buffer.from(values.map((value) => `${value.replaceAll('\0', '')}\0`).join(''))
}
