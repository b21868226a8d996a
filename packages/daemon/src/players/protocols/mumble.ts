import { PacketReader } from './packet-reader.ts'
import type { GameAnswer, QueryTarget } from './protocol.ts'
import { exchange } from './udp.ts'

/** A number that the answer repeats. */
const ident = Buffer.from('innkeepr')
const request = Buffer.concat([Buffer.alloc(4), ident])

/** Asks a Mumble server with its ping, which tells numbers only. */
export async function readMumble(target: QueryTarget): Promise<GameAnswer> {
  return await exchange(target, async (peer) => {
    peer.send(request)
    const reader = new PacketReader(await peer.receive())
    reader.uint8()
    const version = [...reader.bytes(3)].join('.')
    if (!reader.skipIf(ident)) throw new Error('this is not an answer of Mumble')
    return { version, online: reader.uint32be(), max: reader.uint32be() }
  })
}
