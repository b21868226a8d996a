import { PacketReader } from './packet-reader.ts'
import type { GameAnswer, QueryTarget } from './protocol.ts'
import { exchange } from './udp.ts'

export const packetTypes = { ping: 0x01, openConnection: 0x05, pong: 0x1c } as const
/** In every packet of RakNet outside of a connection. */
export const raknetMagic = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex')
/** Time and ID of the client, which the answer does not depend on. */
const time = Buffer.alloc(8)
const client = Buffer.from('innkeepr')

/** Asks a server of Minecraft Bedrock Edition with the ping of RakNet. It does not name players. */
export async function readBedrock(target: QueryTarget): Promise<GameAnswer> {
  return await exchange(target, async (peer) => {
    peer.send(Buffer.concat([Buffer.from([packetTypes.ping]), time, raknetMagic, client]))
    return parsePong(await peer.receive())
  })
}

function parsePong(packet: Buffer): GameAnswer {
  const reader = new PacketReader(packet)
  if (reader.uint8() !== packetTypes.pong) throw new Error('this is not a pong')
  // The time, and the ID of the server.
  reader.bytes(16)
  if (!reader.skipIf(raknetMagic)) throw new Error('this is not a pong')
  const text = reader.bytes(reader.uint16be()).toString('utf8')
  const [edition, name = '', , version, online, max, , world] = text.split(';')
  if (edition !== 'MCPE' && edition !== 'MCEE') throw new Error('this is not a server of Minecraft')
  return { online: toCount(online), max: toCount(max), name: name.replace(/§./gu, ''), version, map: world }
}

function toCount(text = ''): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}
