import { expect, test } from 'vitest'
import { askUdpGame } from '../../testing/ask-game.ts'
import { readBedrock } from './bedrock.ts'

const raknetMagic = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex')

function pong(text: string, { type = 0x1c, length = Buffer.byteLength(text) } = {}): Buffer {
  const size = Buffer.alloc(2)
  size.writeUInt16BE(length)
  return Buffer.concat([Buffer.from([type]), Buffer.alloc(16), raknetMagic, size, Buffer.from(text)])
}
const status = 'MCPE;§lDedicated Server;800;1.21.80;2;10;13253860892328930865;Bedrock level;Survival;1;19132;19133;0;'

test('a server tells its players, version and world', async () => {
  expect(await askUdpGame(readBedrock, () => [pong(status)])).toEqual({
    online: 2,
    max: 10,
    name: 'Dedicated Server',
    version: '1.21.80',
    map: 'Bedrock level',
  })
})

test('a short status, as other programs send it, is enough', async () => {
  expect(await askUdpGame(readBedrock, () => [pong('MCPE;PocketMine;800;1.21.80;0;20')])).toMatchObject({
    online: 0,
    max: 20,
  })
})

test.for<[string, Buffer]>([
  ['is empty', Buffer.alloc(0)],
  ['has another type', pong(status, { type: 0x1d })],
  ['promises more text than it has', pong(status, { length: 60_000 })],
  ['is of another game', pong('XXXX;a;b')],
])('a packet that %s is no answer', async ([, packet]) => {
  await expect(askUdpGame(readBedrock, () => [packet])).rejects.toThrow()
})

test('numbers that are none are not taken for players', async () => {
  const { online, max } = await askUdpGame(readBedrock, () => [pong('MCPE;x;1;1;-2;0x10')])

  expect([online, max]).toEqual([Number.NaN, Number.NaN])
})
