import type { PlayerName } from '@innkeeper/contract/servers/players'
import { PacketReader } from './packet-reader.ts'
import type { QueryTarget } from './protocol.ts'
import { exchange } from './udp.ts'

const types = { challenge: 9, status: 0 } as const
/** Of its bytes only some bits are used. */
const session = Buffer.from([0, 0, 0, 1])
const request = (type: number, content: Buffer) => Buffer.concat([Buffer.from([0xfe, 0xfd, type]), session, content])
const playersKey = Buffer.from('\x01player_\0\0')

/** Asks a server of Minecraft Java Edition with the query of GameSpy for the names of all players. */
export async function readMinecraftList(target: QueryTarget): Promise<readonly PlayerName[]> {
  return await exchange(target, async (peer) => {
    peer.send(request(types.challenge, Buffer.alloc(0)))
    const challenge = Buffer.alloc(4)
    challenge.writeInt32BE(Number(readAnswer(await peer.receive(), types.challenge).text()) | 0)
    peer.send(request(types.status, Buffer.concat([challenge, Buffer.alloc(4)])))
    const { rest } = readAnswer(await peer.receive(), types.status)
    const start = rest.indexOf(playersKey)
    if (start === -1) throw new Error('this is not a list of players')
    const names = rest
      .subarray(start + playersKey.length)
      .toString('utf8')
      .split('\0')
    const end = names.indexOf('')
    return (end === -1 ? names : names.slice(0, end)).map((name) => ({ name }))
  })
}

function readAnswer(packet: Buffer, type: number): PacketReader {
  const reader = new PacketReader(packet)
  if (reader.uint8() !== type || !reader.skipIf(session)) throw new Error('this is not an answer of the query')
  return reader
}
