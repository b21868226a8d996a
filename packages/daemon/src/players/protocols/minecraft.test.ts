import { expect, test } from 'vitest'
import { askTcpGame } from '../../testing/ask-game.ts'
import { minecraftStatus, startTcpGame, startUdpGame } from '../../testing/game-servers.ts'
import { readMinecraft } from './minecraft.ts'

const read = (packet: Buffer) => askTcpGame(readMinecraft, packet)

test('a status tells players, version and the message of the day without its formatting', async () => {
  const status = {
    version: { name: 'Paper 1.21.8', protocol: 772 },
    description: { text: '§aA ', extra: ['nice ', { text: 'server', bold: true, extra: [{ text: '!' }] }] },
    players: {
      online: 4,
      max: 20,
      sample: [
        { name: 'Notch', id: '069a79f4-44e9-4726-a5be-fca90e38aaf5' },
        { name: 'Anonymous Player', id: '00000000-0000-0000-0000-000000000000' },
        { name: '§6Vote for us!', id: '3f2c1f5e-0000-4000-8000-000000000000' },
        'nonsense',
      ],
    },
    favicon: `data:image/png;base64,${'x'.repeat(40_000)}`,
  }

  expect(await read(minecraftStatus(status))).toEqual({
    online: 4,
    max: 20,
    names: [{ name: 'Notch', id: '069a79f4-44e9-4726-a5be-fca90e38aaf5' }],
    version: 'Paper 1.21.8',
    name: 'A nice server!',
  })
})

const session = Buffer.from([0, 0, 0, 1])
const notch = { name: 'Notch', id: '069a79f4-44e9-4726-a5be-fca90e38aaf5' }

/** Reads from a server whose status names one of three players, and which answers the query of GameSpy. */
async function readWithList(answers: readonly [challenge: Buffer, list: Buffer]) {
  await using game = await startTcpGame(minecraftStatus({ players: { online: 3, max: 20, sample: [notch] } }))
  await using list = await startUdpGame((packet) => [packet[2] === 9 ? answers[0] : answers[1]])
  const signal = AbortSignal.timeout(5_000)
  return await readMinecraft({ host: '127.0.0.1', port: game.port, listPort: list.port, signal })
}
const challenge = Buffer.concat([Buffer.from([9]), session, Buffer.from('9513307\0')])
const settings = 'splitnum\0\x80\0hostname\0A Minecraft Server\0numplayers\x003\0maxplayers\x0020\0\0'
const list = Buffer.concat([Buffer.from([0]), session, Buffer.from(`${settings}\x01player_\0\0Alex\0Notch\0Steve\0\0`)])

test('where a server lists its players, all are named', async () => {
  const { names } = await readWithList([challenge, list])

  expect(names).toEqual([{ name: 'Alex' }, notch, { name: 'Steve' }])
})

test.for<[string, readonly [Buffer, Buffer]]>([
  ['is no challenge', [Buffer.from('nonsense'), list]],
  [
    'has a challenge that is no number',
    [Buffer.concat([Buffer.from([9]), session, Buffer.from('x\0')]), list.subarray(0, 9)],
  ],
  ['has no players', [challenge, list.subarray(0, 40)]],
])('a list that %s leaves those that the status names', async ([, answers]) => {
  expect(await readWithList(answers)).toMatchObject({ online: 3, names: [notch] })
})

test('a status with the least that a proxy sends is enough', async () => {
  const answer = await read(minecraftStatus({ players: { online: 0, max: 500, sample: null }, version: 7 }))

  expect(answer).toMatchObject({ online: 0, max: 500, version: undefined })
})

const deep = `${'{"extra":['.repeat(5_000)}{"text":"x"}${']}'.repeat(5_000)}`

const hostile: Readonly<Record<string, Buffer>> = {
  'an endless status': Buffer.concat([Buffer.from([0xff, 0xff, 0x7f, 0]), Buffer.alloc(1024 * 1024, 'x')]),
  'a status that promises too much': Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]),
  'another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'numbers that are none': minecraftStatus({ players: { online: 'many', max: 20 } }),
  'no JSON': Buffer.from([3, 0, 1, 0x7b]),
}

test.for(Object.entries(hostile))('%s is no answer', async ([, packet]) => {
  await expect(read(packet)).rejects.toThrow()
})

test('a message of the day of many levels is not followed to its end', async () => {
  const status = `{"players":{"online":1,"max":2},"description":${deep}}`

  expect(await read(minecraftStatus(status))).toMatchObject({ online: 1, name: '' })
})
