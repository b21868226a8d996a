import { expect, test } from 'vitest'
import { minecraftStatus, startTcpGame } from '../../testing/game-servers.ts'
import { readMinecraft } from './minecraft.ts'

const read = async (packet: Buffer) => {
  await using game = await startTcpGame(packet)
  return await readMinecraft({ host: '127.0.0.1', port: game.port, signal: AbortSignal.timeout(5_000) })
}

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
