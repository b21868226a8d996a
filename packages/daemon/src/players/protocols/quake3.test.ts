import { expect, test } from 'vitest'
import { askUdpGame } from '../../testing/ask-game.ts'
import { readQuake3 } from './quake3.ts'

const header = '\xff\xff\xff\xffstatusResponse\n'
const read = (text: string) => askUdpGame(readQuake3, () => [Buffer.from(text, 'latin1')])

/** As a server of OpenArena 0.8.8 has answered, with a player and shorter. */
const openArena = `${header}\\sv_maxclients\\8\\bot_minplayers\\3\\version\\ioq3 1.36\\mapname\\oa_dm1\\sv_hostname\\^1A ^7server\\g_needpass\\0
3 0 "Neko"
3 0 "Rai"
-2 48 "^4Orrin^7"
12 999 "UnnamedPlayer"
`

test('bots are those with a ping of 0', async () => {
  expect(await read(openArena)).toEqual({
    online: 2,
    max: 8,
    bots: 2,
    names: [{ name: 'Orrin' }, { name: 'UnnamedPlayer' }],
    map: 'oa_dm1',
    version: 'ioq3 1.36',
    name: 'A server',
  })
})

test('the number of people or bots that a game tells is more exact than the ping', async () => {
  const told = await read(openArena.replace('g_needpass', 'g_humanplayers\\3\\g_needpass'))
  const others = await read(openArena.replace('g_needpass', 'bots\\1\\g_needpass'))

  expect([told, others].map(({ online, bots }) => [online, bots])).toEqual([
    [3, 1],
    [3, 1],
  ])
  expect(told.names?.[0]).toEqual({ name: 'Orrin' })
})

test('players of Xonotic have more numbers and colors', async () => {
  const status = `${header}\\gamename\\Xonotic\\sv_maxclients\\16\\bots\\0\\hostname\\x\n12 30 1 "^x0F0Green ^^ ^1red"\n`

  expect(await read(status)).toMatchObject({ online: 1, bots: 0, names: [{ name: 'Green ^^ red' }] })
})

test.for<[string, string]>([
  ['is empty', ''],
  ['has another type', '\xff\xff\xff\xffinfoResponse\n\\a\\b'],
])('a packet that %s is no answer', async ([, text]) => {
  await expect(read(text)).rejects.toThrow('this is not a status')
})

test('nonsense in a status has neither players nor a limit', async () => {
  const lines = ['x'.repeat(5_000), '1 2', '1 2 "', `1 ${'9'.repeat(30)} "big"`, '\\'.repeat(5_000)].join('\n')

  const answer = await read(`${header}\\sv_maxclients\\many\\bots\\-5\n${lines}`)

  expect(answer).toMatchObject({ online: 0, max: Number.NaN, bots: 0, names: [] })
})
