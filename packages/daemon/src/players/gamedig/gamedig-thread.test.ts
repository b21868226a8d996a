import { expect, onTestFinished, test } from 'vitest'
import { startUdpGame } from '../../testing/game-servers.ts'
import { GamedigThread } from './gamedig-thread.ts'

function startThread(options: ConstructorParameters<typeof GamedigThread>[0] = {}): GamedigThread {
  const thread = new GamedigThread(options)
  onTestFinished(() => thread.close())
  return thread
}

const target = (port: number) => ({ host: '127.0.0.1', port, signal: AbortSignal.timeout(20_000) })

test('a game is asked by the library, and numbers that are texts are numbers', async () => {
  const status =
    '\xff\xff\xff\xffstatusResponse\n\\sv_maxclients\\8\\mapname\\oa_dm1\\sv_hostname\\A server\n3 0 "Neko"\n1 48 "Orrin"\n'
  await using game = await startUdpGame(() => [Buffer.from(status, 'latin1')])

  const answer = await startThread().read('openarena', target(game.port), 10_000)

  expect(answer).toMatchObject({
    online: 1,
    max: 8,
    bots: 1,
    names: [{ name: 'Orrin' }],
    map: 'oa_dm1',
    name: 'A server',
  })
})

test('games that are not asked at their own address only are refused, and so are addresses of IPv6', async () => {
  const thread = startThread()

  for (const game of ['minetest', 'discord', 'nonsense', 'constructor', 'protocol-quake3'])
    await expect(thread.read(game, target(1), 10_000)).rejects.toThrow(`the game ${game} is not known`)
  await expect(thread.read('openarena', { ...target(1), host: '::1' }, 1)).rejects.toThrow('IPv6')
})

test('a game that does not answer is given up', async () => {
  await using game = await startUdpGame(() => [])

  await expect(startThread().read('openarena', target(game.port), 50)).rejects.toThrow('Failed all 1 attempts')
})

test('a thread that is stuck is ended, and the next query has a new one', async () => {
  const script = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id, game }) => {
      while (game === 'stuck') {}
      parentPort.postMessage({ id, answer: { online: 1, max: 2 } })
    })`
  const program = new URL(`data:text/javascript,${encodeURIComponent(script)}`)
  const thread = startThread({ program, stuckMs: 0 })

  const results = await Promise.allSettled([thread.read('stuck', target(1), 200), thread.read('other', target(1), 200)])
  const next = await thread.read('other', target(1), 10_000)

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(next).toEqual({ online: 1, max: 2 })
})
