import { minecraftStatus, startTcpGame, startUdpGame } from '@innkeeper/daemon/testing/game-servers'
import type { GamePorts } from './players.ts'

/** Games for `players.ts`, in a process of their own: each with ten players. */
const names = Array.from({ length: 10 }, (_, at) => `Player number ${at}`)
const ones = Buffer.alloc(4, 0xff)
const texts = (...values: readonly (string | number)[]) => Buffer.from(values.map((value) => `${value}\0`).join(''))

const challenge = Buffer.from('\x01\x02\x03\x04')
const info = Buffer.concat([
  ...[ones, Buffer.from([0x49, 17]), texts('A server', 'a_map', 'game', 'A game')],
  ...[Buffer.from([1, 0, 10, 32, 0, 0x64, 0x6c, 0, 1]), texts('1.0')],
])
const list = Buffer.concat([
  ...[ones, Buffer.from([0x44, names.length])],
  ...names.map((name) => Buffer.concat([Buffer.from([0]), texts(name), Buffer.alloc(8)])),
])
const source = (packet: Buffer) => {
  if (!packet.subarray(-4).equals(challenge)) return [Buffer.concat([ones, Buffer.from([0x41]), challenge])]
  return [packet[4] === 0x54 ? info : list]
}
const quake3 = `statusResponse\n\\sv_maxclients\\32\\mapname\\a_map\n${names.map((name) => `1 20 "${name}"\n`).join('')}`
const teeworlds = Buffer.concat([
  ...[
    Buffer.alloc(10, 0xff),
    Buffer.from('iext'),
    texts(23, '0.6.4', 'A server', 'a_map', 1, 2, 'DM', 0, 10, 32, 10, 32, ''),
  ],
  ...names.map((name) => texts(name, '', -1, 0, 1, '')),
])
const sample = names.map((name) => ({ name, id: crypto.randomUUID() }))
const status = { players: { online: 10, max: 32, sample }, version: { name: '1.0' }, favicon: 'x'.repeat(10_000) }

const games = await Promise.all([
  startTcpGame(minecraftStatus(status)),
  startUdpGame(source),
  startUdpGame(() => [Buffer.concat([ones, Buffer.from(quake3)])]),
  startUdpGame((packet) => (packet.subarray(0, 2).toString() === 'xe' ? [teeworlds] : [])),
])
const [minecraft = 0, ofSource = 0, ofQuake3 = 0, ofTeeworlds = 0] = games.map(({ port }) => port)
const ports: GamePorts = { minecraft, source: ofSource, quake3: ofQuake3, teeworlds: ofTeeworlds }
process.send?.(ports)
