import { headerBytes, packetTypes } from '../../players/protocols/openttd.ts'
import { PacketReader } from '../../players/protocols/packet-reader.ts'
import { type JoiningPlayer, type LastStatus, type TcpProtocol, wakingText } from './protocol.ts'

const maxPacketBytes = 500
const maxRevisionBytes = 33
/** Of the game info: without graphics and script of the game. */
const version = 6
/** The error code "kicked", which comes with a text. */
const kicked = 12

/** OpenTTD from version 12 on: the game info, and a player, who is refused with a text. */
export const openTtd: TcpProtocol = {
  transport: 'tcp',
  reply(received, status) {
    if (received.length < headerBytes) return { answers: [] }
    const size = received.readUInt16LE()
    if (size < headerBytes || size > maxPacketBytes) throw new Error('this is not a packet of OpenTTD')
    const type = received[2]
    if (type === packetTypes.request && size === headerBytes)
      return { answers: [packet(packetTypes.answer, gameInfo(status))], isDone: true }
    if (type !== packetTypes.join) throw new Error('this is not a packet of a player')
    if (received.length < size) return { answers: [] }
    const join = readJoin(received.subarray(headerBytes, size))
    return { answers: [packet(packetTypes.error, Buffer.from([kicked]), text(wakingText))], join, isDone: true }
  },
}

/** The revision of the game and the version of its graphics, before version 14 also the name of the player. */
function readJoin(content: Buffer): JoiningPlayer {
  const reader = new PacketReader(content)
  const revision = reader.text()
  reader.uint32le()
  if (!/^[\w.+-]+$/.test(revision) || revision.length > maxRevisionBytes) throw new Error('this is not a join')
  return { name: reader.isAtEnd ? undefined : reader.text() }
}

function gameInfo({ name = '', version: revision = '', players }: LastStatus): Buffer {
  return Buffer.concat([
    Buffer.from([version, 0]),
    // The version and the name of the script of the game, and the number of graphics.
    Buffer.alloc(4 + 1 + 1),
    // Two dates, companies, and places of spectators.
    Buffer.alloc(8 + 3),
    text(name),
    text(revision),
    Buffer.from([0, Math.min(players.max, 255), 0, 0]),
    // The size of the map, its climate, and that no player is the server.
    Buffer.alloc(2 + 2 + 1),
    Buffer.from([1]),
  ])
}

function packet(type: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.from([0, 0, type])
  head.writeUInt16LE(headerBytes + body.length)
  return Buffer.concat([head, body])
}

const text = (value: string): Buffer => Buffer.from(`${value.replaceAll('\0', '')}\0`)
