import { PacketReader } from './packet-reader.ts'
import type { GameAnswer, QueryTarget } from './protocol.ts'
import { requestOverTcp } from './tcp.ts'

export const packetTypes = { join: 2, error: 3, answer: 6, request: 7 } as const
const request = Buffer.from([3, 0, packetTypes.request])
/** Size and type. */
export const headerBytes = 3
const newestVersion = 7
/** How the graphics of a game are told, since version 6. */
const withNames = 1
const asNumbers = 2

/**
 * Asks OpenTTD from version 12 on, which answers over TCP. It logs each query as a client that connects and leaves, but
 * does not count it.
 */
export async function readOpenTtd(target: QueryTarget): Promise<GameAnswer> {
  return await requestOverTcp(target, request, (received) => {
    if (received.length < headerBytes) return undefined
    // The size has two bytes: an answer has at most 64 KiB.
    const size = received.readUInt16LE()
    if (received[2] !== packetTypes.answer || size < headerBytes) throw new Error('this is not an answer of OpenTTD')
    return received.length < size ? undefined : parseGameInfo(received.subarray(headerBytes, size))
  })
}

/** Each version has added its values before those of the one before. */
function parseGameInfo(answer: Buffer): GameAnswer {
  const reader = new PacketReader(answer)
  const version = reader.uint8()
  if (version < 4 || version > newestVersion) throw new Error(`version ${version} of the answer is not known`)
  // How long the game has been played.
  if (version >= 7) reader.bytes(8)
  const graphics = version >= 6 ? reader.uint8() : 0
  if (version >= 5) {
    // The script of the game.
    reader.uint32le()
    reader.text()
  }
  for (let count = reader.uint8(); count > 0; count--) {
    reader.bytes(graphics === asNumbers ? 4 : 20)
    if (graphics === withNames) reader.text()
  }
  // Two dates, companies, and places of spectators.
  reader.bytes(8 + 3)
  const [name, revision] = [reader.text(), reader.text()]
  if (version < 6) reader.uint8()
  // Whether there is a password.
  reader.uint8()
  const [max, online] = [reader.uint8(), reader.uint8()]
  return { name, version: revision, online, max }
}
