import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getConsole, startServer, getStatus as statusOf, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { readQuake3 } from '../players/protocols/quake3.ts'
import { id, params, readContainers, slowWait, wait } from '../testing/containers.ts'
import { program, type TestNode } from '../testing/daemon.ts'
import { TestEngine, testImage } from '../testing/engine.ts'
import { testWithEngine } from '../testing/engine-test.ts'
import { freePort } from '../testing/target-servers.ts'

/** A game sleeps after half a second without players. */
const options = {
  players: { tickMs: 20, everyMs: 50, idleEveryMs: 50 },
  sleep: { everyMs: 20, minuteMs: 500 },
}
const programs = fileURLToPath(new URL('../testing/programs', import.meta.url))
const getchallenge = Buffer.concat([Buffer.alloc(4, 0xff), Buffer.from('getchallenge')])

/** Starts a game with the Node.js and the libraries of this machine. Returns its port. */
async function startGame(node: TestNode): Promise<number> {
  const port = await freePort()
  const system = (await readdir('/')).filter((name) => /^(?:usr|bin|lib.*)$/.test(name)).map((name) => `/${name}`)
  const bindings = Object.fromEntries([...system, dirname(process.execPath), programs].map((path) => [path, path]))
  await node.client.create(
    id,
    {
      command: program('game', port).replace('node', process.execPath),
      stop: 'stop',
      sleepAfterMinutes: 1,
      readyPattern: 'ready',
    },
    {
      environment: { type: 'docker', image: testImage, networkMode: 'host', bindings },
      data: { ip: { value: '127.0.0.1' }, port: { value: port, type: 'integer' } },
      query: { type: 'quake3' },
    },
  )
  const { body } = await node.client.send(startServer, { params, query: wait })
  if (body?.error) throw new Error(JSON.stringify(body))
  return port
}

const getStatus = async (node: TestNode) => (await node.client.send(statusOf, { params })).body

const getContainerStates = async (node: TestNode, engine: TestEngine) =>
  (await readContainers(node, engine)).map(({ State }) => State)

async function untilFrozen(node: TestNode, engine: TestEngine): Promise<void> {
  await vi.waitFor(async () => {
    expect(await getStatus(node)).toMatchObject({ state: 'online', sleeping: { isFrozen: true } })
    expect(await getContainerStates(node, engine)).toEqual(['paused'])
  }, slowWait)
}

/** Joins as a client does that repeats its packet. Returns the answer of the game. */
async function join(port: number): Promise<string> {
  const socket = createSocket('udp4')
  const answered = once(socket, 'message') as Promise<[Buffer]>
  const timer = setInterval(() => socket.send(getchallenge, port, '127.0.0.1'), 50)
  try {
    const [answer] = await answered
    return answer.toString('latin1', 4)
  } finally {
    clearInterval(timer)
    socket.close()
  }
}

for (const [name, create] of [
  ['Docker', () => TestEngine.create()],
  ['Podman', () => TestEngine.createPodman()],
] as const) {
  const test = testWithEngine(create)

  test(`${name}: a container sleeps paused, answers queries, and wakes for a player, for a stop and for a new daemon`, {
    timeout: 120_000,
  }, async ({ engine, startNode }) => {
    await using node = await startNode({ ...options, apart: true })
    const port = await startGame(node)

    await untilFrozen(node, engine)
    const status = await readQuake3({ host: '127.0.0.1', port, signal: AbortSignal.timeout(2_000) })
    expect(status).toMatchObject({ name: 'A game', map: 'q3dm1', online: 0, max: 8 })
    expect(await join(port)).toBe('challengeResponse 12345')
    // The game answers before the line is there.
    await vi.waitFor(async () => {
      const log = (await node.client.send(getConsole, { params, query: {} })).body.logs
      expect(log).toContain('It is frozen.')
      expect(log).toContain('Server wakes: a player at 127.0.0.1 joins')
    }, slowWait)

    await untilFrozen(node, engine)
    await node.kill()
    expect(await getContainerStates(node, engine)).toEqual(['paused'])
    await node.start()
    expect(await join(port)).toBe('challengeResponse 12345')

    await untilFrozen(node, engine)
    expect((await node.client.send(stopServer, { params, query: wait })).status).toBe(204)
    expect(await getStatus(node)).toMatchObject({ state: 'offline', running: false })
    await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
  })
}
