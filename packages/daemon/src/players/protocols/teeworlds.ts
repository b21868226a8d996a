import type { PlayerName } from '@innkeeper/contract/servers/players'
import { endsWithin } from '../../concurrency/timeout.ts'
import { PacketReader } from './packet-reader.ts'
import type { GameAnswer, QueryTarget } from './protocol.ts'
import { exchange, type UdpPeer } from './udp.ts'

export const ffBytes = (count: number) => Buffer.alloc(count, 0xff)
export const getInfoRequest = Buffer.from('gie3\x17')

/** Version 0.6, and the form of DDNet, in which more than 16 players fit. */
const request06 = Buffer.concat([ffBytes(10), getInfoRequest])
const requestOfDdnet = Buffer.concat([Buffer.from('xe'), Buffer.alloc(4), ffBytes(4), getInfoRequest])
export const infoHeader06 = Buffer.concat([ffBytes(10), Buffer.from('inf3')])
export const infoHeaderOfDdnet = Buffer.concat([ffBytes(10), Buffer.from('iext')])
const moreOfDdnet = Buffer.concat([ffBytes(10), Buffer.from('iex+')])
/** For the rest of a long list of players. */
const moreMs = 200

/** Version 0.7 answers only who has a token of it, for which it wants a packet of at least this size. */
export const tokenRequestBytes = 512
const ownToken = Buffer.from('inkp')
const tokenRequest = Buffer.concat([
  Buffer.from([0x04, 0, 0]),
  ffBytes(4),
  Buffer.from([5]),
  ownToken,
  Buffer.alloc(tokenRequestBytes),
])
const tokenAnswer = Buffer.concat([Buffer.from([0x04, 0, 0]), ownToken, Buffer.from([5])])
export const connectionlessHeader = Buffer.from([0x21])
const toOwnToken = Buffer.concat([connectionlessHeader, ownToken])
export const infoHeader07 = Buffer.concat([ffBytes(4), Buffer.from('inf3')])
const botFlag = 2

/** Asks a server of Teeworlds or DDNet, of whatever version. */
export async function readTeeworlds(target: QueryTarget): Promise<GameAnswer> {
  return await exchange(target, async (peer) => {
    for (const request of [requestOfDdnet, request06, tokenRequest]) peer.send(request)
    for (;;) {
      const answer = await receiveInfo(peer)
      if (answer) return answer
    }
  })
}

/** Undefined for a packet that is not the status. */
async function receiveInfo(peer: UdpPeer): Promise<GameAnswer | undefined> {
  const reader = new PacketReader(await peer.receive())
  if (reader.skipIf(infoHeaderOfDdnet)) return await readInfoOfDdnet(peer, reader)
  if (reader.skipIf(infoHeader06)) return parseInfo06(reader)
  if (reader.skipIf(tokenAnswer)) {
    const serverToken = reader.bytes(4)
    peer.send(Buffer.concat([connectionlessHeader, serverToken, ownToken, ffBytes(4), getInfoRequest]))
    return undefined
  }
  if (!reader.skipIf(toOwnToken)) return undefined
  // The token of the server.
  reader.bytes(4)
  return reader.skipIf(infoHeader07) ? parseInfo07(reader) : undefined
}

function parseInfo06(reader: PacketReader): GameAnswer {
  reader.text()
  const [version, name, map] = [reader.text(), reader.text(), reader.text()]
  // The type of game, and whether there is a password.
  skipTexts(reader, 2)
  const { online, max } = readCounts(reader)
  const names: PlayerName[] = []
  while (!reader.isAtEnd) names.push(readClient06(reader))
  return { version, name, map, online, max, names }
}

async function readInfoOfDdnet(peer: UdpPeer, reader: PacketReader): Promise<GameAnswer> {
  reader.text()
  const [version, name, map] = [reader.text(), reader.text(), reader.text()]
  // The checksum and the size of the map, the type of game, and whether there is a password.
  skipTexts(reader, 4)
  const { online, max } = readCounts(reader)
  reader.text()
  const names: PlayerName[] = []
  const readClients = (packet: PacketReader) => {
    while (!packet.isAtEnd) {
      names.push(readClient06(packet))
      packet.text()
    }
  }
  const readMore = async () => {
    while (names.length < online) {
      const more = new PacketReader(await peer.receive())
      if (!more.skipIf(moreOfDdnet)) continue
      // Its number.
      skipTexts(more, 3)
      readClients(more)
    }
  }
  readClients(reader)
  if (names.length < online) await endsWithin(readMore(), moreMs)
  return { version, name, map, online, max, names }
}

/** Players, places of players, and both with those who watch. */
function readCounts(reader: PacketReader): { online: number; max: number } {
  skipTexts(reader, 2)
  return { online: Number(reader.text()), max: Number(reader.text()) }
}

/** A name, its clan, its country, its score, and whether it plays. */
function readClient06(reader: PacketReader): PlayerName {
  const name = reader.text()
  skipTexts(reader, 4)
  return { name }
}

function skipTexts(reader: PacketReader, count: number): void {
  for (let skipped = 0; skipped < count; skipped++) reader.text()
}

function parseInfo07(reader: PacketReader): GameAnswer {
  readInteger(reader)
  const [version, name] = [reader.text(), reader.text()]
  // The name of the host.
  reader.text()
  const map = reader.text()
  // The type of game, flags, level, players, and places of players.
  reader.text()
  for (let skipped = 0; skipped < 4; skipped++) readInteger(reader)
  const [clients, max] = [readInteger(reader), readInteger(reader)]
  const names: PlayerName[] = []
  let bots = 0
  while (!reader.isAtEnd) {
    const client = reader.text()
    // Clan, country and score.
    reader.text()
    readInteger(reader)
    readInteger(reader)
    if (readInteger(reader) & botFlag) bots++
    else names.push({ name: client })
  }
  return { version, name, map, online: Math.max(0, clients - bots), max, bots, names }
}

/** 6 bits with the sign, then 7 bits in each byte. */
function readInteger(reader: PacketReader): number {
  const first = reader.uint8()
  let value = first & 0x3f
  let hasMore = first >= 0x80
  for (let shift = 6; hasMore && shift <= 27; shift += 7) {
    const next = reader.uint8()
    value |= (next & 0x7f) << shift
    hasMore = next >= 0x80
  }
  return first & 0x40 ? ~value : value
}
