import { expect, test } from 'vitest'
import { askUdpGame } from '../../testing/ask-game.ts'
import { readTeeworlds } from './teeworlds.ts'

const ones = Buffer.alloc(10, 0xff)
const texts = (...values: readonly (string | number)[]) => Buffer.from(values.map((value) => `${value}\0`).join(''))

const isToken = (packet: Buffer) => packet[0] === 0x04
const isOfDdnet = (packet: Buffer) => packet.subarray(0, 2).toString() === 'xe'
const serverToken = Buffer.from('05f111f1', 'hex')

/** As a server of Teeworlds 0.7.5 has answered, with two players and a bot. */
function version07(packet: Buffer): readonly Buffer[] {
  if (isToken(packet)) return [Buffer.concat([Buffer.from('040000696e6b7005', 'hex'), serverToken])]
  if (!packet.subarray(1, 5).equals(serverToken)) return []
  const head = Buffer.from('21696e6b7005f111f1ffffffff696e663317', 'hex')
  const client = (name: string, score: readonly number[], flags: number) =>
    Buffer.concat([texts(name, 'clan'), Buffer.from([0x40, ...score, flags])])
  const clients = [client('Orrin', [0xa8, 0x0f], 0), client('Wren', [0x41], 1), client('Bot', [0x02], 2)]
  return [
    Buffer.concat([head, texts('0.7.5', 'TW server', '', 'dm1', 'DM'), Buffer.from([0, 1, 1, 8, 3, 8]), ...clients]),
  ]
}

test('version 0.7 is asked with its token, and tells bots apart', async () => {
  expect(await askUdpGame(readTeeworlds, version07)).toEqual({
    version: '0.7.5',
    name: 'TW server',
    map: 'dm1',
    online: 2,
    max: 8,
    bots: 1,
    names: [{ name: 'Orrin' }, { name: 'Wren' }],
  })
})

test('version 0.6 counts those who play and those who watch', async () => {
  const info = Buffer.concat([
    ones,
    Buffer.from('inf3'),
    texts(23, '0.6.5', 'An old server', 'ctf1', 'CTF', 0, 1, 16, 2, 16, 'Orrin', '', 276, 12, 1, 'Wren', '', -1, 0, 0),
  ])

  expect(await askUdpGame(readTeeworlds, (packet) => (packet[0] === 0xff ? [info] : []))).toMatchObject({
    online: 2,
    max: 16,
    names: [{ name: 'Orrin' }, { name: 'Wren' }],
  })
})

/** As a server of DDNet 16.4 has answered, with players. */
const ddnet = (clients: Buffer, count: number) =>
  Buffer.concat([
    ones,
    Buffer.from('iext'),
    texts(23, '0.6.4, 16.4', 'DD server', 'dm1', -233464210, 5805, 'TestDDraceNetwork', 0, count, 64, count, 64, ''),
    clients,
  ])
const player = (name: string) => texts(name, '', -1, 0, 1, '')

test('DDNet sends a long list of players in several packets', async () => {
  const more = Buffer.concat([ones, Buffer.from('iex+'), texts(23, 1, ''), player('Wren'), player('Zoe')])

  const answer = await askUdpGame(readTeeworlds, (packet) =>
    isOfDdnet(packet) ? [ddnet(player('Orrin'), 3), more] : [],
  )

  expect(answer).toMatchObject({ online: 3, max: 64, name: 'DD server', map: 'dm1', version: '0.6.4, 16.4' })
  expect(answer.names).toEqual([{ name: 'Orrin' }, { name: 'Wren' }, { name: 'Zoe' }])
})

test('a list of players that is not complete is told as far as it is known', async () => {
  const answer = await askUdpGame(readTeeworlds, (packet) => (isOfDdnet(packet) ? [ddnet(player('Orrin'), 40)] : []))

  expect(answer).toMatchObject({ online: 40, names: [{ name: 'Orrin' }] })
})

test.for<[string, Buffer]>([
  ['is empty', Buffer.alloc(0)],
  ['is cut off', ddnet(player('Orrin'), 1).subarray(0, 60)],
  ['is of another game', Buffer.from('\xff\xff\xff\xffstatusResponse\n\\a\\b', 'latin1')],
  ['is a token without end', Buffer.from('040000696e6b7005', 'hex')],
  ['has a client without end', Buffer.concat([ddnet(player('Orrin'), 1), Buffer.from('Wren\0')])],
])('a packet that %s is no answer', async ([, packet]) => {
  await expect(askUdpGame(readTeeworlds, () => new Array<Buffer>(100).fill(packet))).rejects.toThrow()
})
