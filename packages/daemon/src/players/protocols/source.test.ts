import { expect, test } from 'vitest'
import { askUdpGame } from '../../testing/ask-game.ts'
import { startUdpGame } from '../../testing/game-servers.ts'
import { readSource } from './source.ts'

const singlePacketHeader = Buffer.from([0xff, 0xff, 0xff, 0xff])
const challenge = Buffer.from('\x01\x02\x03\x04')
const askForChallenge = Buffer.concat([singlePacketHeader, Buffer.from([0x41]), challenge])

function info({ players, bots = 0, game = 730 }: { players: number; bots?: number; game?: number }): Buffer {
  const head = Buffer.from([0x49, 17])
  const texts = Buffer.from('A server\0de_dust2\0csgo\0Counter-Strike 2\0')
  const numbers = Buffer.from([game & 0xff, game >> 8, players, 32, bots, 0x64, 0x6c, 0, 1])
  const theShip = game === 2400 ? Buffer.from([1, 2, 3]) : Buffer.alloc(0)
  return Buffer.concat([singlePacketHeader, head, texts, numbers, theShip, Buffer.from('1.40.1\0')])
}

function players(names: readonly string[]): Buffer {
  const entries = names.map((name) => Buffer.concat([Buffer.from([0]), Buffer.from(`${name}\0`), Buffer.alloc(8)]))
  return Buffer.concat([singlePacketHeader, Buffer.from([0x44, names.length]), ...entries])
}

/** A packet in parts of this size. */
function split(packet: Buffer, size: number, id = 7): Buffer[] {
  const count = Math.ceil(packet.length / size)
  return Array.from({ length: count }, (_, at) => {
    const head = Buffer.alloc(12)
    head.writeInt32LE(-2)
    head.writeUInt32LE(id, 4)
    head.set([count, at, size & 0xff, size >> 8], 8)
    return Buffer.concat([head, packet.subarray(at * size, (at + 1) * size)])
  })
}

/** A game that answers both requests with a challenge first. */
const answers =
  (infoPackets: readonly Buffer[], playersPackets: readonly Buffer[]) =>
  (packet: Buffer): readonly Buffer[] => {
    if (!packet.subarray(-4).equals(challenge)) return [askForChallenge]
    return packet[4] === 0x54 ? infoPackets : playersPackets
  }

const read = (respond: (packet: Buffer) => readonly Buffer[]) => askUdpGame(readSource, respond)

test('a game tells its status and the names of its players', async () => {
  expect(await read(answers([info({ players: 3 })], [players(['Gordon', 'Älyx', ''])]))).toEqual({
    online: 3,
    max: 32,
    bots: 0,
    name: 'A server',
    map: 'de_dust2',
    version: '1.40.1',
    names: [{ name: 'Gordon' }, { name: 'Älyx' }],
  })
})

test('a game may have another challenge for its players', async () => {
  const other = Buffer.from('\x05\x06\x07\x08')
  const answer = await read((packet) => {
    if (packet[4] === 0x54) return answers([info({ players: 1 })], [])(packet)
    return packet.subarray(-4).equals(other)
      ? [players(['Gordon'])]
      : [Buffer.concat([singlePacketHeader, Buffer.from([0x41]), other])]
  })

  expect(answer.names).toEqual([{ name: 'Gordon' }])
})

test('answers may come in parts, in any order', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `Player ${at}`)
  const parts = split(players(names), 200).toReversed()

  const answer = await read(answers(split(info({ players: 60 }), 40), parts))

  expect(answer).toMatchObject({ online: 60, version: '1.40.1' })
  expect(answer.names?.map(({ name }) => name)).toEqual(names)
})

test('bots are counted apart, and nobody is named because the list does not tell them from people', async () => {
  const answer = await read(answers([info({ players: 9, bots: 7 })], [players(['Bob', 'Gordon'])]))

  expect(answer).toMatchObject({ online: 2, bots: 7 })
  expect(answer.names).toBeUndefined()
})

test('a game that does not list its players, or lists something else, still has a status', async () => {
  const silent = await read(answers([info({ players: 2 })], []))
  const other = await read(answers([info({ players: 1 })], [players(['Max Players', 'x'])]))

  expect([silent, other].map(({ online, names }) => [online, names])).toEqual([
    [2, undefined],
    [1, undefined],
  ])
})

test('one game has more numbers before its version', async () => {
  expect(await read(answers([info({ players: 0, game: 2400 })], []))).toMatchObject({ version: '1.40.1' })
})

test.for<[string, Buffer]>([
  ['is empty', Buffer.alloc(0)],
  ['has another header', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['is cut off', info({ players: 1 }).subarray(0, 20)],
  ['has a text without end', Buffer.concat([singlePacketHeader, Buffer.from([0x49, 17]), Buffer.alloc(500, 'x')])],
  ['asks for challenges for ever', askForChallenge],
  ['is compressed', split(info({ players: 1 }), 40, 2 ** 31)[0] as Buffer],
  ['has too many parts', Buffer.concat([Buffer.from([0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 255, 0]), Buffer.alloc(90)])],
  ['never has its last part', split(info({ players: 1 }), 40)[0] as Buffer],
])('a packet that %s is no answer', async ([, packet]) => {
  // As many packets as a query reads.
  await expect(read(() => new Array<Buffer>(300).fill(packet))).rejects.toThrow()
})

test('a port at which nothing listens is known at once', async () => {
  const game = await startUdpGame(() => [])
  await game[Symbol.asyncDispose]()
  const startedAt = performance.now()

  await expect(readSource({ host: '127.0.0.1', port: game.port, signal: AbortSignal.timeout(60_000) })).rejects.toThrow(
    'ECONNREFUSED',
  )
  expect(performance.now() - startedAt).toBeLessThan(30_000)
})
