import { readVarInt, toPacket, toVarInt } from '../../players/protocols/minecraft-packets.ts'
import { PacketReader } from '../../players/protocols/packet-reader.ts'
import { type JoiningPlayer, type LastStatus, type TcpProtocol, wakingText } from './protocol.ts'

const nextStates = { status: 1, login: 2, transfer: 3 } as const
/** Proxies append addresses and the skin of the player to the name of the host. */
const maxPacketBytes = 2_000
const maxNameChars = 16

interface Handshake {
  readonly version: Buffer
  readonly next: number
}

/** Minecraft Java Edition: the Server List Ping, and the login of a player, which is refused with a text. */
export const minecraft: TcpProtocol = {
  transport: 'tcp',
  reply(received, status) {
    const [first, ...others] = splitPackets(received)
    if (!first) return { answers: [] }
    const { version, next } = readHandshake(first)
    if (next !== nextStates.status) {
      const login = others[0]
      if (!login) return { answers: [] }
      return { answers: [textPacket(JSON.stringify({ text: wakingText }))], join: readLogin(login), isDone: true }
    }
    const answers = others.slice(0, 2).map((request) => replyToStatus(request, version, status))
    return { answers, isDone: answers.length === 2 }
  },
}

/** The contents of the packets that are complete. */
function splitPackets(received: Buffer): Buffer[] {
  const packets: Buffer[] = []
  for (let at = 0; at < received.length; ) {
    const length = readVarInt(received, at)
    if (!length) break
    if (length.value === 0 || length.value > maxPacketBytes) throw new Error('this is not a packet of Minecraft')
    const end = length.end + length.value
    if (end > received.length) break
    packets.push(received.subarray(length.end, end))
    at = end
  }
  return packets
}

/** A number with a length of one to five bytes. */
function takeVarInt(reader: PacketReader): { readonly value: number; readonly bytes: Buffer } {
  const number = readVarInt(reader.rest, 0)
  if (!number) throw new Error('the packet is too short')
  return { value: number.value, bytes: reader.bytes(number.end) }
}

function readHandshake(content: Buffer): Handshake {
  const reader = new PacketReader(content)
  if (reader.uint8() !== 0) throw new Error('this is not a handshake')
  const { bytes: version } = takeVarInt(reader)
  reader.bytes(takeVarInt(reader).value)
  // The port.
  reader.bytes(2)
  const next = reader.uint8()
  if (!reader.isAtEnd || !Object.values<number>(nextStates).includes(next)) throw new Error('this is not a handshake')
  return { version, next }
}

function readLogin(content: Buffer): JoiningPlayer {
  const reader = new PacketReader(content)
  if (reader.uint8() !== 0) throw new Error('this is not a login')
  const name = reader.bytes(takeVarInt(reader).value).toString('utf8')
  if (!/^[^\s\p{C}]+$/u.test(name) || name.length > maxNameChars) throw new Error('this is not a name of a player')
  return { name }
}

/** The status, then the answer to a ping, which has the same content. */
function replyToStatus(request: Buffer, version: Buffer, { name, version: versionName, players }: LastStatus): Buffer {
  if (request.equals(Buffer.from([0])))
    return textPacket(
      JSON.stringify({
        // That of the client: else it would show the server as outdated.
        version: { name: versionName ?? '', protocol: readVarInt(version, 0)?.value ?? 0 },
        players: { max: players.max, online: 0 },
        description: { text: name ?? '' },
      }),
    )
  if (request.length === 9 && request[0] === 1) return toPacket(request)
  throw new Error('this is not a request of the status')
}

function textPacket(text: string): Buffer {
  const bytes = Buffer.from(text)
  return toPacket(Buffer.concat([Buffer.from([0]), toVarInt(bytes.length), bytes]))
}
