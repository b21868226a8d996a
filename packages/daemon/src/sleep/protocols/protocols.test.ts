import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { SleepQueryType } from '@innkeeper/contract/definitions/sleep'
import { expect, test, vi } from 'vitest'
import { readBedrock } from '../../players/protocols/bedrock.ts'
import { readMinecraft } from '../../players/protocols/minecraft.ts'
import { readOpenTtd } from '../../players/protocols/openttd.ts'
import type { ReadGame } from '../../players/protocols/protocol.ts'
import { readQuake3 } from '../../players/protocols/quake3.ts'
import { readSource } from '../../players/protocols/source.ts'
import { readTeeworlds } from '../../players/protocols/teeworlds.ts'
import { listenForPlayers } from '../sleep-listener.ts'
import type { LastStatus } from './protocol.ts'
import { sleepProtocols } from './protocols.ts'

const readers: Readonly<Record<SleepQueryType, ReadGame>> = {
  minecraft: readMinecraft,
  'minecraft-bedrock': readBedrock,
  source: readSource,
  quake3: readQuake3,
  openttd: readOpenTtd,
  teeworlds: readTeeworlds,
}
const types = Object.keys(readers) as SleepQueryType[]
const status: LastStatus = { name: 'A game', map: 'A map', version: '1.2.3', players: { max: 12 } }

async function start(type: SleepQueryType) {
  const joins: (string | undefined)[] = []
  const onJoin = ({ name }: { readonly name?: string | undefined }) => joins.push(name)
  const listener = await listenForPlayers(sleepProtocols[type], { host: '127.0.0.1', port: 0, status, onJoin })
  return { port: listener.port, joins, [Symbol.asyncDispose]: () => listener.close() }
}

/** What is received over UDP in a moment, from one port. */
async function sendUdp(port: number, ...packets: readonly Buffer[]): Promise<Buffer[]> {
  const socket = createSocket('udp4')
  const received: Buffer[] = []
  socket.on('message', (packet) => received.push(packet))
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  for (const packet of packets) socket.send(packet)
  await pause(100)
  socket.close()
  return received
}

/** What is received over TCP until the end of the connection, or of a moment. */
async function sendTcp(port: number, ...parts: readonly Buffer[]): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1' })
  const received: Buffer[] = []
  socket.on('data', (part: Buffer) => received.push(part)).on('error', () => {})
  for (const part of parts) socket.write(part)
  await Promise.race([once(socket, 'close'), pause(150)])
  socket.destroy()
  return Buffer.concat(received)
}

test.for(types)('%s: the last status is answered with nobody online, and wakes nobody', async (type) => {
  await using game = await start(type)

  const answer = await readers[type]({ host: '127.0.0.1', port: game.port, signal: AbortSignal.timeout(2_000) })

  const { map, ...others } = status
  const hasMap = type !== 'minecraft' && type !== 'openttd'
  expect(answer).toMatchObject({
    name: others.name,
    version: others.version,
    online: 0,
    max: 12,
    ...(hasMap && { map }),
  })
  expect(game.joins).toEqual([])
})

const out = (text: string) => Buffer.concat([Buffer.alloc(4, 0xff), Buffer.from(text, 'latin1')])
const raknet = (first: number, length: number) =>
  Buffer.concat([Buffer.from([first]), Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex'), Buffer.alloc(length, 0)])
/** Of Minecraft 1.21.8: the handshake for the next state 2, and the start of the login. */
const handshake = Buffer.from('10008606093132372e302e302e3163dd02', 'hex')
const login = Buffer.concat([handshake, Buffer.from('1600044a6f686e00112233445566778899aabbccddeeff', 'hex')])
/** As the client of OpenTTD 13.0 has sent it. */
const openTtd13Join = Buffer.from('19000231332e3000646d081d506c61796572206f6e6500fe00', 'hex')
const openTtdJoin = Buffer.concat([Buffer.from([12, 0, 2]), Buffer.from('14.1\0'), Buffer.alloc(4)])
const joins: readonly [string, SleepQueryType, Buffer, string | undefined][] = [
  ['Minecraft', 'minecraft', login, 'John'],
  ['Bedrock', 'minecraft-bedrock', raknet(0x05, 1_400), undefined],
  ['Quake 3', 'quake3', out('getchallenge 12345 Quake3Arena'), undefined],
  ['Xonotic', 'quake3', out('getchallenge'), undefined],
  ['Source', 'source', out('q\x01\x02\x03\x040000000000\0'), undefined],
  ['GoldSrc', 'source', out('getchallenge steam\n'), undefined],
  ['OpenTTD 14', 'openttd', openTtdJoin, undefined],
  ['OpenTTD 13', 'openttd', openTtd13Join, 'Player one'],
  ['Teeworlds 0.6', 'teeworlds', Buffer.from('10000001', 'hex'), undefined],
]

test.for(joins)('the first packet of a player of %s wakes the server', async ([, type, packet, name]) => {
  await using game = await start(type)

  if (sleepProtocols[type].transport === 'udp') await sendUdp(game.port, packet)
  else await sendTcp(game.port, packet)

  await vi.waitFor(() => expect(game.joins).toEqual([name]))
})

test('a player of Minecraft and of OpenTTD is told to come back', async () => {
  await using minecraft = await start('minecraft')
  await using openTtd = await start('openttd')

  const text = 'The server is waking up. Join again in a moment.'
  expect(String(await sendTcp(minecraft.port, login))).toContain(text)
  expect(String(await sendTcp(openTtd.port, openTtdJoin))).toContain(text)
})

test('a login of Minecraft may come in parts', async () => {
  await using game = await start('minecraft')

  await sendTcp(game.port, login.subarray(0, 5), login.subarray(5, 20), login.subarray(20))

  expect(game.joins).toEqual(['John'])
})

const scans: readonly [string, Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: example.org\r\n\r\n')],
  ['a hello of TLS', Buffer.from('1603010200010001fc0303', 'hex')],
  ['random bytes', Buffer.from('9f3c5511aa0817c2d4e6f8091b2d3f40', 'hex')],
  ['zeros', Buffer.alloc(64)],
  ['ones', Buffer.alloc(64, 0xff)],
  ['a query of DNS', Buffer.from('0006010000010000000000000776657273696f6e0462696e640000100003', 'hex')],
  ['a request of SNMP', Buffer.from('302902010004067075626c6963a01c0204', 'hex')],
  ['a hello of Quake 2', out('status')],
  ['a request of master servers', out('getservers 68 empty full')],
  ['a remote command', out('rcon password status')],
  ['a ping of Minecraft before 1.7', Buffer.from([0xfe, 0x01])],
  ['a handshake without a login', handshake],
  ['a short packet of RakNet', raknet(0x05, 10)],
]

test.for(scans)('a scan with %s gets no answer of any game and wakes none', async ([, packet]) => {
  await Promise.all(
    types.map(async (type) => {
      await using game = await start(type)
      const { transport } = sleepProtocols[type]

      const answers = transport === 'udp' ? await sendUdp(game.port, packet) : [await sendTcp(game.port, packet)]

      expect(Buffer.concat(answers)).toHaveLength(0)
      expect(game.joins).toEqual([])
    }),
  )
})

test('A2S tells its status only who has its challenge', async () => {
  await using game = await start('source')
  const request = out('TSource Engine Query\0')

  const [challenge] = await sendUdp(game.port, request)
  const [forged] = await sendUdp(game.port, Buffer.concat([request, Buffer.alloc(4)]))

  expect(challenge?.[4]).toBe(0x41)
  expect(forged?.[4]).toBe(0x41)
  expect(Math.max(challenge?.length ?? 0, forged?.length ?? 0)).toBeLessThanOrEqual(request.length)
})

test('a player of Teeworlds 0.7 needs the token of the server, for which a small packet is not enough', async () => {
  await using game = await start('teeworlds')
  const ask = (bytes: number) =>
    Buffer.concat([Buffer.from('040000ffffffff05', 'hex'), Buffer.from('inkp'), Buffer.alloc(bytes)])
  const join = (token: Buffer) =>
    Buffer.concat([Buffer.from([4, 0, 0]), token, Buffer.from([1]), Buffer.from('inkp'), Buffer.alloc(512)])

  expect(await sendUdp(game.port, ask(10))).toEqual([])
  await sendUdp(game.port, join(Buffer.from('abcd')))
  expect(game.joins).toEqual([])

  const socket = createSocket('udp4')
  socket.connect(game.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.send(ask(512))
  const [answer] = (await once(socket, 'message')) as [Buffer]
  socket.send(join(answer.subarray(8, 12)))
  expect(String(((await once(socket, 'message')) as [Buffer])[0])).toContain('The server is waking up')
  expect(game.joins).toEqual([undefined])
  socket.close()
})

test('one address gets few answers in a second', async () => {
  await using game = await start('quake3')

  const answers = await sendUdp(game.port, ...new Array<Buffer>(100).fill(out('getstatus')))

  expect(answers.length).toBeLessThanOrEqual(20)
  expect(answers.length).toBeGreaterThan(0)
})
