import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  createNode,
  getNodeDeployment,
  listNodes,
  type Node,
  type NodeDeployment,
} from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getStatus } from '@innkeeper/contract/servers/node-servers'
import { getUsage, listServers, type ServerView } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { DatabaseServer } from '@innkeeper/panel/testing/database-server'
import { forEachConcurrent, waitUntil, withTimeout } from './async.ts'
import { freePorts } from './fleet-setup.ts'
import { Viewers } from './fleet-viewers.ts'
import { getCpuSeconds, getMemoryMiB } from './process-usage.ts'
import type { Observation } from './servers.ts'
import { quantile } from './statistics.ts'
import { hasExited, TestInstallation } from './test-installation.ts'

const size = { nodes: 200, killedNodes: 20, servers: 10_000, viewers: 200 }
const printingServers = 5
const lines = 20
const requests = 200
const serversAtOnce = 16
const startTimeoutMs = 120_000
const reportTimeoutMs = 90_000
const settleMs = 5_000
const idleMs = 20_000

const program = fileURLToPath(new URL('./light-nodes.ts', import.meta.url))

/**
 * One panel on SQLite, then three on PostgreSQL, with 200 nodes and 10,000 servers. The nodes are in two processes and run
 * nothing, so that this machine carries them; see `light-nodes.ts`. Each reports to one of the panels.
 */
export async function lightFleet(): Promise<readonly Observation[]> {
  const observations = await measurePanels('SQLite', [{}])
  const database = await DatabaseServer.create('postgres')
  try {
    const settings = { INNKEEPER_DATABASE_URL: database.url() }
    observations.push(...(await measurePanels('PostgreSQL', [settings, settings, settings])))
  } finally {
    await database.remove()
  }
  return observations
}

async function measurePanels(
  database: string,
  settings: readonly Readonly<Record<string, string>>[],
): Promise<Observation[]> {
  await using resources = new AsyncDisposableStack()
  const panels: TestInstallation[] = []
  for (const of of settings) panels.push(resources.use(await TestInstallation.start('panel', of)))
  const name = `${size.nodes} light nodes, ${panels.length} on ${database}`
  const found: Observation[] = []
  const add = (part: string, details: string, isGoalMet = true) =>
    found.push({ name: `${name}: ${part}`, isGoalMet, details })

  let since = performance.now()
  const nodes = await LightNodes.register(panels)
  resources.defer(() => nodes.stop())
  await nodes.start()
  await waitUntilOnline(panels, size.nodes)
  add('nodes', `all have joined within ${secondsSince(since)} s`)
  since = performance.now()
  const servers = await createServers(panels, nodes)
  add('servers', `${servers.length} created within ${secondsSince(since)} s`)

  await pause(settleMs)
  add('idle, no viewers', await measureUsage(panels))
  const [panel] = panels
  if (!panel) return found
  const viewers = resources.use(new Viewers(panel))
  const printing = servers.slice(0, printingServers)
  const watched = (at: number) => (at % 2 === 0 ? printing[(at / 2) % printing.length] : servers[at])
  await viewers.open(Array.from({ length: size.viewers }, (_, at) => watched(at) ?? ''))
  add(`idle, ${viewers.connected} viewers`, await measureUsage(panels), viewers.connected === size.viewers)
  add('p50 / p95 in ms', await measureRequests(panel, servers))
  const { delays, expected, duplicates } = await viewers.measureOutput(printing, lines)
  const lost = `${expected - delays.length} of ${expected} lines lost, ${duplicates} twice`
  add('console', `${lost}; delay ${format(delays)} ms`, delays.length === expected && duplicates === 0)

  nodes.kill()
  since = performance.now()
  await waitUntilOnline(panels, size.nodes - size.killedNodes)
  add('killed', `${size.killedNodes} nodes are shown as offline after ${secondsSince(since)} s`)
  add(
    'killed, p50 / p95 in ms',
    await measureRequests(
      panel,
      servers.filter((_, at) => !nodes.isKilled(at)),
    ),
  )
  since = performance.now()
  await nodes.start()
  await waitUntilOnline(panels, size.nodes)
  add('restarted', `all nodes are shown as online after ${secondsSince(since)} s`)
  return found
}

/** The nodes of a fleet, in two processes, of which one is killed. */
class LightNodes {
  readonly ids: readonly number[]
  readonly #files: readonly string[]
  readonly #children: (ChildProcess | undefined)[] = []

  private constructor(ids: readonly number[], files: readonly string[]) {
    this.ids = ids
    this.#files = files
  }

  /** Adds the nodes to the panels, evenly, and writes their configurations. */
  static async register(panels: readonly TestInstallation[]): Promise<LightNodes> {
    const ports = await freePorts(size.nodes)
    const folder = join(panels[0]?.dataDir ?? '', 'light')
    await mkdir(folder)
    const [ids, configs]: [number[], object[]] = [[], []]
    for (const [at, privatePort] of ports.entries()) {
      const panel = panels[at % panels.length]
      if (!panel) throw new Error('there is no panel')
      const body = { name: `light ${at}`, publicHost: '127.0.0.1', privatePort, sftpPort: 1024 + at }
      const { id } = await panel.send<Node>(createNode, { body })
      const { config } = await panel.send<NodeDeployment>(getNodeDeployment, { params: { id } })
      ids.push(id)
      configs.push({ ...(JSON.parse(config) as object), panelUrl: panel.url, dataDir: join(folder, String(id)) })
    }
    const files = [join(folder, 'killed.json'), join(folder, 'others.json')]
    for (const [index, file] of files.entries()) {
      const isKilled = index === 0
      const own = configs.filter((_, at) => at < size.killedNodes === isKilled)
      await writeFile(file, JSON.stringify(own), { mode: 0o600 })
    }
    return new LightNodes(ids, files)
  }

  /** Whether the server of this number is on a node that is killed. */
  isKilled(server: number): boolean {
    return server % size.nodes < size.killedNodes
  }

  /** Starts those that do not run, and waits until they have enrolled. */
  async start(): Promise<void> {
    for (const [index, file] of this.#files.entries()) {
      const child = this.#children[index]
      if (child && !hasExited(child)) continue
      const started = spawn(process.execPath, [...process.execArgv, program, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      this.#children[index] = started
      await withTimeout('the light nodes have enrolled', startTimeoutMs, once(started.stdout, 'data'))
    }
  }

  kill(): void {
    this.#children[0]?.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      if (!child || hasExited(child)) continue
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
  }
}

async function createServers(panels: readonly TestInstallation[], { ids }: LightNodes): Promise<string[]> {
  const servers: string[] = []
  const numbers = Array.from({ length: size.servers }, (_, at) => at)
  await forEachConcurrent(numbers, serversAtOnce, async (at) => {
    const body = {
      name: `server ${String(at).padStart(5, '0')}`,
      node: ids[at % ids.length],
      type: 'bench',
      environment: { type: 'standard' },
      run: { command: 'cat', stopCode: 15 },
      data: {},
    }
    servers[at] = (await panels[at % panels.length]?.send<{ id: string }>(createServer, { body }))?.id ?? ''
  })
  return servers
}

/** Waits until each panel shows exactly this number of nodes as online. */
async function waitUntilOnline(panels: readonly TestInstallation[], count: number): Promise<void> {
  for (const panel of panels) {
    const isShown = async () => {
      const nodes = await panel.send<Node[]>(listNodes)
      return nodes.filter(({ health }) => ['online', 'degraded'].includes(health?.state ?? '')).length === count
    }
    await waitUntil(`a panel shows ${count} nodes as online`, isShown, reportTimeoutMs)
  }
}

/** CPU and memory of each panel while nothing is requested. */
async function measureUsage(panels: readonly TestInstallation[]): Promise<string> {
  const before = panels.map(({ pid }) => getCpuSeconds(pid))
  const startedAt = performance.now()
  await pause(idleMs)
  const ms = performance.now() - startedAt
  return panels
    .map(({ pid }, at) => {
      const cpu = ((getCpuSeconds(pid) - (before[at] ?? Number.NaN)) / ms) * 100_000
      return `${cpu.toFixed(1)} % of a core and ${getMemoryMiB(pid).toFixed(0)} MiB`
    })
    .join('; ')
}

/** Times of the first page, the largest page, the status of servers on all nodes, and the nodes. */
async function measureRequests(panel: TestInstallation, servers: readonly string[]): Promise<string> {
  const page = async (limit: number) => {
    const { servers: shown } = await panel.send<{ servers: ServerView[] }>(listServers, { query: { limit } })
    await panel.send(getUsage, { query: { ids: shown.map(({ id }) => id).join(',') } })
  }
  const parts = {
    [`page of ${limits.pageSize}`]: () => page(limits.pageSize),
    [`page of ${limits.pageSizeMax}`]: () => page(limits.pageSizeMax),
    status: (at: number) => panel.send(getStatus, { params: { id: servers[(at * 7) % servers.length] } }),
    nodes: () => panel.send(listNodes),
  }
  const texts: string[] = []
  for (const [title, run] of Object.entries(parts)) {
    const times: number[] = []
    for (let at = 0; at < requests; at++) {
      const startedAt = performance.now()
      await run(at)
      times.push(performance.now() - startedAt)
    }
    texts.push(`${title} ${format(times)}`)
  }
  return texts.join('; ')
}

const format = (times: readonly number[]): string =>
  `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.95).toFixed(1)}`
const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(0)
