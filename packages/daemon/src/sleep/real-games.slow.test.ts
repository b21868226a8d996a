import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Template } from '@innkeeper/contract/definitions/definition'
import { getConsole, getStatus, installServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readTeeworlds } from '../players/protocols/teeworlds.ts'
import { TestNode } from '../testing/daemon.ts'
import { startOpenTtdPlayer } from '../testing/openttd-player.ts'
import { freePort } from '../testing/target-servers.ts'

const isRoot = process.getuid?.() === 0
const patience = { timeout: 90_000, interval: 100 }
const wait = { wait: true }

/** Starts a server from a bundled template that sleeps after seconds without players. Returns its port. */
async function start(node: TestNode, id: string, name: string, values: Readonly<Record<string, unknown>> = {}) {
  const port = await freePort()
  const file = new URL(`../../../../templates/${name}/${name}.json`, import.meta.url)
  const definition = Template.parse(JSON.parse(readFileSync(file, 'utf8')))
  for (const [variable, value] of Object.entries({ ip: '127.0.0.1', port, ...values }))
    Object.assign(definition.data[variable] ?? {}, { value })
  definition.run.sleepAfterMinutes = 1
  expect((await node.client.asPanel('PUT', `/daemon/server/${id}`, definition)).status).toBe(204)
  for (const call of [installServer, startServer])
    expect((await node.client.send(call, { params: { id }, query: wait })).status).toBe(204)
  return port
}

const readStatus = async (node: TestNode, id: string) => (await node.client.send(getStatus, { params: { id } })).body
const readLog = async (node: TestNode, id: string) =>
  String((await node.client.send(getConsole, { params: { id }, query: {} })).body.logs)

const untilFrozen = (node: TestNode, id: string) =>
  vi.waitFor(async () => expect(await readStatus(node, id)).toMatchObject({ sleeping: { isFrozen: true } }), patience)

/** What the program of the Debian package `qstat` prints of a game: players and places, map and name. */
async function askQstat(type: string, port: number): Promise<string> {
  const { stdout } = await promisify(execFile)('quakestat', ['-raw', '|', '-nh', `-${type}`, `127.0.0.1:${port}`])
  return stdout.trim()
}

describe.runIf(isRoot)('real games that are frozen', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await TestNode.start({
      players: { tickMs: 20, everyMs: 1_500, idleEveryMs: 1_500 },
      sleep: { everyMs: 50, minuteMs: 3_000 },
    })
  })
  afterAll(async () => {
    await node[Symbol.asyncDispose]()
  })

  test('OpenArena: the list of servers shows it, and it answers a player within a second', async () => {
    const id = '5eeb0001'
    const port = await start(node, id, 'openarena', { bots: 2 })
    await untilFrozen(node, id)
    const shown = await askQstat('q3s', port)
    expect(await readStatus(node, id)).toHaveProperty('sleeping')

    const wakeMs = await measureJoin(port)

    expect(shown).toMatch(/\|oa_dm1\|\d+\|0\|/)
    expect(wakeMs).toBeLessThan(1_000)
    expect(await readStatus(node, id)).not.toHaveProperty('sleeping')
  })

  test('OpenTTD: its own client wakes it, is told to come back, and joins then', async () => {
    const id = '5eeb0002'
    const port = await start(node, id, 'openttd', { mapsize: '6' })
    await untilFrozen(node, id)
    const dir = join(node.dataDir, 'player')

    // Now and then the client hangs before it connects.
    const log = () => readLog(node, id)
    await startUntil(dir, port, async () => expect(await log()).toContain('Server wakes: Steve (127.0.0.1) joins'))
    expect(await readStatus(node, id)).not.toHaveProperty('sleeping')
    await startUntil(dir, port, async () => expect(await log()).toContain('Steve has joined the game'))
  })

  test('Teeworlds and DDNet: the list of servers shows them, and a player wakes them', async () => {
    const games = [
      ['5eeb0003', 'teeworlds'],
      ['5eeb0004', 'ddnet'],
    ] as const
    for (const [id, name] of games) {
      const port = await start(node, id, name, { servername: `A ${name}` })
      await untilFrozen(node, id)

      const target = { host: '127.0.0.1', port, signal: AbortSignal.timeout(5_000) }
      expect(await readTeeworlds(target)).toMatchObject({ name: `A ${name}`, online: 0 })
      expect(await readStatus(node, id)).toHaveProperty('sleeping')
      // That of version 0.6.
      send(port, Buffer.from('10000001', 'hex'))
      await vi.waitFor(async () => expect(await readStatus(node, id)).not.toHaveProperty('sleeping'), patience)
      expect(await readTeeworlds({ ...target, signal: AbortSignal.timeout(5_000) })).toMatchObject({
        name: `A ${name}`,
      })
    }
  })
})

function send(port: number, packet: Buffer): void {
  const socket = createSocket('udp4')
  socket.send(packet, port, '127.0.0.1', () => socket.close())
}

/** Starts players of OpenTTD, one after the other, until something is so. */
async function startUntil(dir: string, port: number, isSo: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < 6; attempt++) {
    const player = startOpenTtdPlayer(dir, port)
    const isDone = await vi.waitFor(isSo, { timeout: 8_000, interval: 50 }).then(
      () => true,
      () => false,
    )
    player.kill('SIGKILL')
    if (isDone) return
  }
  await isSo()
}

/** Asks for a challenge as the client of Quake 3 does, from one port. Returns the time until the game answers. */
async function measureJoin(port: number): Promise<number> {
  const socket = createSocket('udp4')
  const answered = once(socket, 'message')
  const send = () => socket.send(Buffer.concat([Buffer.alloc(4, 0xff), Buffer.from('getchallenge')]), port, '127.0.0.1')
  const begin = performance.now()
  send()
  const timer = setInterval(send, 200)
  try {
    const [answer] = (await answered) as [Buffer]
    expect(answer.toString('latin1', 4)).toMatch(/^challengeResponse/)
    return performance.now() - begin
  } finally {
    clearInterval(timer)
    socket.close()
  }
}
