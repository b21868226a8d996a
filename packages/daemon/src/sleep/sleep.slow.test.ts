import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  getConsole,
  sendCommand,
  startServer,
  getStatus as statusOf,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readQuake3 } from '../players/protocols/quake3.ts'
import { program, TestNode } from '../testing/daemon.ts'
import { freePort } from '../testing/target-servers.ts'

const id = '5eeb0000'
const wait = { wait: true }
const patience = { timeout: 15_000, interval: 20 }
const getchallenge = Buffer.concat([Buffer.alloc(4, 0xff), Buffer.from('getchallenge')])

interface Options {
  readonly mayFreeze?: boolean
  readonly players?: number
  readonly apart?: boolean
}

/** A node with a game that sleeps after half a second without players. */
async function startGame({ mayFreeze = false, players = 0, apart = false }: Options = {}) {
  const node = await TestNode.start({
    apart,
    players: { tickMs: 20, everyMs: 50, idleEveryMs: 50 },
    sleep: { everyMs: 20, minuteMs: 500, mayFreeze },
  })
  onTestFinished(async () => await node[Symbol.asyncDispose]())
  const port = await freePort()
  await node.client.create(
    id,
    { command: program('game', port, players), stop: 'stop', sleepAfterMinutes: 1, readyPattern: 'ready' },
    {
      data: { ip: { value: '127.0.0.1' }, port: { value: port, type: 'integer' } },
      query: { type: 'quake3' },
    },
  )
  await node.client.send(startServer, { params: { id }, query: wait })
  return { node, port }
}

async function getStatus(node: TestNode) {
  return (await node.client.send(statusOf, { params: { id } })).body
}

const untilAsleep = (node: TestNode, isFrozen: boolean) =>
  vi.waitFor(async () => expect(await getStatus(node)).toMatchObject({ sleeping: { isFrozen } }), patience)

const ask = (port: number) => readQuake3({ host: '127.0.0.1', port, signal: AbortSignal.timeout(2_000) })

/** Joins as a client does that repeats its packet from the same port. Returns the answer of the game. */
async function join(port: number): Promise<string> {
  const socket = createSocket('udp4')
  const answered = once(socket, 'message') as Promise<[Buffer]>
  const timer = setInterval(() => socket.send(getchallenge, port, '127.0.0.1'), 100)
  try {
    const [answer] = await answered
    return answer.toString('latin1', 4)
  } finally {
    clearInterval(timer)
    socket.close()
  }
}

async function readLog(node: TestNode): Promise<string> {
  return (await node.client.send(getConsole, { params: { id }, query: {} })).body.logs
}

test('a server that nobody plays on is stopped, answers with its last status, and starts when a player joins', async () => {
  const { node, port } = await startGame()
  await untilAsleep(node, false)

  expect(await getStatus(node)).toMatchObject({ state: 'offline', running: false })
  const { body } = await node.client.send(getPlayers, { params: { id } })
  expect(body).toMatchObject({ status: { players: { online: 0, max: 8 } }, online: [] })
  expect(await ask(port)).toMatchObject({ name: 'A game', map: 'q3dm1', online: 0, max: 8 })
  expect(await join(port)).toBe('challengeResponse 12345')

  expect(await getStatus(node)).toMatchObject({ state: 'online' })
  const log = await readLog(node)
  expect(log).toContain('Server sleeps: nobody has played for 1 min. It is stopped.')
  expect(log).toContain('Server wakes: a player at 127.0.0.1 joins')
})

test('a server on which somebody plays does not sleep', async () => {
  const { node } = await startGame({ players: 1 })
  await pause(1_500)
  expect(await getStatus(node)).not.toHaveProperty('sleeping')
})

test('a server that somebody watches does not sleep', async () => {
  const { node } = await startGame()
  const watcher = await node.client.watch(id)
  await pause(1_500)
  expect(await getStatus(node)).not.toHaveProperty('sleeping')
  watcher.socket.close()
  await untilAsleep(node, false)
})

test('a person starts a server that sleeps, or stops it for good', async () => {
  const { node, port } = await startGame()
  await untilAsleep(node, false)
  expect((await node.client.send(startServer, { params: { id }, query: wait })).status).toBe(204)
  expect(await getStatus(node)).toMatchObject({ running: true })

  await untilAsleep(node, false)
  expect((await node.client.send(stopServer, { params: { id }, query: wait })).status).toBe(204)
  expect(await getStatus(node)).not.toHaveProperty('sleeping')
  await expect(ask(port)).rejects.toThrow()
})

test('a suspended server does not sleep on, and no player wakes it', async () => {
  const { node, port } = await startGame()
  await untilAsleep(node, false)
  const suspension = { reason: 'Unpaid', since: new Date().toISOString() }

  await node.client.asPanel('PUT', `/daemon/server/${id}/suspension`, { suspension })

  await vi.waitFor(async () => expect(await getStatus(node)).not.toHaveProperty('sleeping'), patience)
  await expect(ask(port)).rejects.toThrow()
  expect(await getStatus(node)).toMatchObject({ state: 'offline' })
})

test('a server that was stopped for its sleep sleeps on after a restart of the daemon', async () => {
  const { node, port } = await startGame()
  await untilAsleep(node, false)
  await node.detach()
  await node.start()

  expect(await getStatus(node)).toMatchObject({ sleeping: { isFrozen: false } })
  await vi.waitFor(async () => expect(await ask(port)).toMatchObject({ name: 'A game' }), patience)
  expect(await join(port)).toBe('challengeResponse 12345')
})

const isRoot = process.getuid?.() === 0

describe.runIf(isRoot)('with a freezer and nftables', () => {
  test('a frozen server answers with its last status, and its own answer comes within a second of a join', async () => {
    const { node, port } = await startGame({ mayFreeze: true })
    await untilAsleep(node, true)

    expect(await getStatus(node)).toMatchObject({ state: 'online', running: true })
    expect(await ask(port)).toMatchObject({ name: 'A game', map: 'q3dm1', online: 0, max: 8 })
    const begin = performance.now()
    expect(await join(port)).toBe('challengeResponse 12345')

    expect(performance.now() - begin).toBeLessThan(1_000)
    expect(await getStatus(node)).not.toHaveProperty('sleeping')
    expect(await readLog(node)).toContain('It is frozen.')
    expect(await readTables(node)).toBe('')
  })

  test('a command, a start and a stop wake a frozen server first', async () => {
    const { node } = await startGame({ mayFreeze: true })
    await untilAsleep(node, true)
    await node.client.send(sendCommand, { params: { id }, body: 'hello' })
    await vi.waitFor(async () => expect(await readLog(node)).toContain('read hello'), patience)

    await untilAsleep(node, true)
    expect((await node.client.send(startServer, { params: { id }, query: wait })).status).toBe(204)
    expect(await getStatus(node)).not.toHaveProperty('sleeping')

    await untilAsleep(node, true)
    expect((await node.client.send(stopServer, { params: { id }, query: wait })).status).toBe(204)
    expect(await getStatus(node)).toMatchObject({ state: 'offline', running: false })
    expect(await readTables(node)).toBe('')
  })

  test('a server is awake after the daemon has ended', async () => {
    const { node, port } = await startGame({ mayFreeze: true })
    await untilAsleep(node, true)
    await node.detach()

    expect(await join(port)).toBe('challengeResponse 12345')
    expect(await readTables(node)).toBe('')
  })

  test('a server that was frozen when the daemon was killed is awake after the next start', async () => {
    const { node, port } = await startGame({ mayFreeze: true, apart: true })
    await untilAsleep(node, true)
    await node.kill()
    expect(await readTables(node)).not.toBe('')
    await node.start()

    expect(await join(port)).toBe('challengeResponse 12345')
    expect(await readLog(node)).toContain('Daemon was restarted, the server continued to run')
  })
})

/** The tables of nftables of this node. */
async function readTables(node: TestNode): Promise<string> {
  const { stdout } = await promisify(execFile)('/usr/sbin/nft', ['list', 'tables'])
  const hash = createHash('sha256').update(node.dataDir).digest('hex').slice(0, 12)
  return stdout
    .split('\n')
    .filter((line) => line.includes(hash))
    .join('\n')
}
