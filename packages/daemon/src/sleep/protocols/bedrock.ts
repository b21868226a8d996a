import { packetTypes, raknetMagic } from '../../players/protocols/bedrock.ts'
import { PacketReader } from '../../players/protocols/packet-reader.ts'
import type { LastStatus, UdpProtocol } from './protocol.ts'

/** A client finds out with its first packets how large they may be: none is smaller. */
const minJoinBytes = 500
const pingBytes = 1 + 8 + raknetMagic.length + 8
const serverId = Buffer.from('innkeepr')

/** Minecraft Bedrock Edition: the ping of RakNet, and the first packet of a connection, which clients repeat. */
export const bedrock: UdpProtocol = {
  transport: 'udp',
  reply(packet, _, status) {
    const reader = new PacketReader(packet)
    const type = reader.uint8()
    if (type === packetTypes.openConnection)
      return reader.skipIf(raknetMagic) && packet.length >= minJoinBytes ? { join: {} } : undefined
    if (type !== packetTypes.ping || packet.length < pingBytes) return undefined
    const time = reader.bytes(8)
    return reader.skipIf(raknetMagic) ? { answer: pong(time, status) } : undefined
  },
}

function pong(time: Buffer, { name = '', map = '', version = '', players }: LastStatus): Buffer {
  const plain = (text: string) => text.replaceAll(';', ' ')
  const id = serverId.readBigUInt64BE()
  const text = Buffer.from(`MCPE;${plain(name)};0;${plain(version)};0;${players.max};${id};${plain(map)};`)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return Buffer.concat([Buffer.from([packetTypes.pong]), time, serverId, raknetMagic, length, text])
}
