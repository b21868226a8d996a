import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause, setInterval as ticks } from 'node:timers/promises'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { login } from '@innkeeper/contract/accounts/auth'
import { createUser, putUserPermissions } from '@innkeeper/contract/accounts/users'
import { getNode, localNodeId, type Node } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { forEachConcurrent, waitUntil } from './async.ts'
import { FleetNode } from './fleet-node.ts'
import { getCpuSeconds } from './process-usage.ts'
import type { Observation } from './servers.ts'
import { quantile, summarize } from './statistics.ts'
import { TestInstallation } from './test-installation.ts'

const [users, socketsOfEach, fewViewers, socketsOfOneUser] = [40, 25, 10, 200]
const [cpuRounds, timeRounds] = [2, 5]
const [settleMs, measureMs, requestEveryMs] = [300, 1_000, 20]
/** The interval at which output is sent to 1,000 viewers. */
const linesMs = 3_000
const joinTimeoutMs = 60_000
const maxCpuRatio = 1.5
const maxTimeRatio = 2

const programs = {
  'at full speed': { command: 'yes this line is printed without end', ms: measureMs },
  'a line every 10 ms': {
    command: `${process.execPath} -e "setInterval(() => console.log('x'.repeat(80)), 10)"`,
    ms: linesMs,
  },
  '600 kB per second': {
    command: `${process.execPath} -e "setInterval(() => { for (let n = 0; n < 60; n++) console.log('x'.repeat(99)) }, 10)"`,
    ms: linesMs,
  },
} as const

/**
 * Cost of viewers of one server that prints without end, as ratios of alternating turns in one run: CPU of the panel
 * for 1,000 viewers of 40 users and for 10, with the node in another process, and response times of the panel for 200
 * sockets of one user and for one, with its own node.
 */
export async function fanOut(): Promise<readonly Observation[]> {
  await using installation = await TestInstallation.start()
  await using node = await startNode(installation)
  const tokens: string[] = []
  await forEachConcurrent([...Array.from({ length: users }).keys()], 4, async (at) => {
    tokens.push(await addUser(installation, at))
  })
  const observations = [await readTimes(installation)]
  for (const name of Object.keys(programs) as (keyof typeof programs)[])
    observations.push(await measureCpu(name, installation, node, tokens))
  return observations
}

async function measureCpu(
  name: keyof typeof programs,
  installation: TestInstallation,
  node: FleetNode,
  tokens: readonly string[],
): Promise<Observation> {
  const { command, ms } = programs[name]
  await using few = await Watched.create(installation, node.id, command)
  await using many = await Watched.create(installation, node.id, command)
  await few.open(tokens.slice(0, fewViewers))
  await many.open(tokens.flatMap((token) => Array.from({ length: socketsOfEach }, () => token)))
  const turns = [few, many].map((watched) => ({ watched, cpu: 0, bytes: 0 }))
  for (let round = 0; round < cpuRounds; round++)
    for (const turn of turns)
      await turn.watched.whilePrinting(async () => {
        const [cpu, bytes] = [getCpuSeconds(installation.pid), turn.watched.bytes]
        await pause(ms)
        turn.cpu += getCpuSeconds(installation.pid) - cpu
        turn.bytes += turn.watched.bytes - bytes
      })
  const [ofFew = Number.NaN, ofMany = Number.NaN] = turns.map(({ cpu }) => cpu)
  const seconds = (cpuRounds * ms) / 1_000
  const texts = turns.map(
    ({ watched, cpu, bytes }) =>
      `${watched.count} viewers ${((cpu / seconds) * 100).toFixed(0)} % of a core, ${(bytes / seconds / 1024 ** 2).toFixed(1)} MiB/s`,
  )
  return {
    name: `fan-out: ${name}`,
    isGoalMet: many.count === users * socketsOfEach && ofMany <= maxCpuRatio * ofFew,
    details: `panel: ${texts.join('; ')}: ${(ofMany / ofFew).toFixed(2)} × (≤ ${maxCpuRatio} ×)`,
  }
}

async function readTimes(installation: TestInstallation): Promise<Observation> {
  await using one = await Watched.create(installation, localNodeId, programs['at full speed'].command)
  await using many = await Watched.create(installation, localNodeId, programs['at full speed'].command)
  await one.open([installation.token])
  await many.open(Array.from({ length: socketsOfOneUser }, () => installation.token))
  const turns = [one, many].map((watched) => ({ watched, rounds: [] as number[][] }))
  for (let round = 0; round < timeRounds; round++)
    for (const { watched, rounds } of turns)
      await watched.whilePrinting(async () => {
        rounds.push(await responseTimes(installation))
      })
  const texts = turns.map(
    ({ watched, rounds }) =>
      `${watched.count} open: ${[0.5, 0.95, 1].map((q) => getMedian(rounds, q).toFixed(0)).join(' / ')} ms`,
  )
  const [ofOne = Number.NaN, ofMany = Number.NaN] = turns.map(({ rounds }) => getMedian(rounds, 0.95))
  return {
    name: `fan-out: ${socketsOfOneUser} sockets of a user`,
    isGoalMet: ofMany <= maxTimeRatio * ofOne,
    details: `${texts.join('; ')} (p50 / p95 / maximum, medians of ${timeRounds} turns): ${(ofMany / ofOne).toFixed(2)} × (p95 ≤ ${maxTimeRatio} ×)`,
  }
}

/** A quantile of each turn, and their median: a pause of the machine is in one of them. */
function getMedian(rounds: readonly (readonly number[])[], q: number): number {
  return summarize(rounds.map((times) => quantile(times, q))).median
}

/** Response times of small requests, each sent at its time, however long earlier ones take. */
async function responseTimes(installation: TestInstallation): Promise<number[]> {
  const pending: Promise<number>[] = []
  for await (const _ of ticks(requestEveryMs)) {
    const startedAt = performance.now()
    pending.push(installation.send(getConfig).then(() => performance.now() - startedAt))
    if (pending.length >= measureMs / requestEveryMs) break
  }
  return Promise.all(pending)
}

/** A server that prints without end, and sockets that read its console. */
class Watched implements AsyncDisposable {
  readonly #installation: TestInstallation
  readonly #id: string
  readonly #sockets: Socket[] = []
  /** Received by all sockets. */
  bytes = 0

  private constructor(installation: TestInstallation, id: string) {
    this.#installation = installation
    this.#id = id
  }

  static async create(installation: TestInstallation, node: number, command: string): Promise<Watched> {
    const body = { name: `fan-out ${randomBytes(4).toString('hex')}`, node, type: 'bench', run: { command }, data: {} }
    const { id } = await installation.send<{ id: string }>(createServer, { body })
    return new Watched(installation, id)
  }

  /** Number of connected sockets. */
  get count(): number {
    return this.#sockets.filter(({ destroyed }) => !destroyed).length
  }

  /** Opens one socket for each token; those over a limit are refused. They are no WebSocket clients, which cost more. */
  async open(tokens: readonly string[]): Promise<void> {
    await forEachConcurrent(tokens, 20, async (token) => {
      const socket = connect(this.#installation.port, '127.0.0.1')
      socket.on('error', () => socket.destroy())
      socket.write(
        `GET /proxy/daemon/socket/${this.#id} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n` +
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
          'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n',
      )
      const [head] = (await once(socket, 'data')) as [Buffer]
      if (!head.toString('latin1').startsWith('HTTP/1.1 101')) {
        socket.destroy()
        return
      }
      socket.on('data', ({ length }) => {
        this.bytes += length
      })
      this.#sockets.push(socket)
    })
  }

  /** Starts the server, runs, and kills it. */
  async whilePrinting(run: () => Promise<void>): Promise<void> {
    const request = { params: { id: this.#id }, query: { wait: true } }
    await this.#installation.send(startServer, request)
    await pause(settleMs)
    await run()
    await this.#installation.send(killServer, request)
    await pause(settleMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = this.#sockets.filter(({ destroyed }) => !destroyed)
    await Promise.all(open.map((socket) => once(socket.destroy(), 'close')))
  }
}

/** Starts a node in a process of its own. */
async function startNode(installation: TestInstallation): Promise<FleetNode> {
  const folder = join(installation.dataDir, 'nodes')
  await mkdir(folder)
  // The users of servers must be able to enter their folders below.
  for (const folderAbove of [installation.dataDir, folder]) await chmod(folderAbove, 0o711)
  const [nodePort, sftpPort] = [await freePort(), await freePort()]
  const place = { name: 'fan-out', folder, nodePort, sftpPort, uids: '1200000-1209999' }
  const node = await FleetNode.register(installation, { ...place, willBeKilled: false })
  node.start()
  const params = { id: node.id }
  const hasJoined = async () => (await installation.send<Node>(getNode, { params })).health?.state === 'online'
  await waitUntil('the node has joined', hasJoined, joinTimeoutMs)
  return node
}

/** Adds an administrator and returns the token of a session. */
async function addUser(installation: TestInstallation, at: number): Promise<string> {
  const body = { username: `viewer${at}`, email: `viewer${at}@example.net`, password: installation.password }
  const { id } = await installation.send<{ id: number }>(createUser, { body })
  await installation.send(putUserPermissions, { params: { id }, body: { admin: true } })
  return (await installation.send<{ session: string }>(login, { body })).session
}
