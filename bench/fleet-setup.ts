import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { getNode, listNodes, type Node, type NodeState } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { defaultUidRange } from '@innkeeper/daemon/isolation/uid-allocator'
import { forEachConcurrent, waitUntil, withTimeout } from './async.ts'
import { FleetNode } from './fleet-node.ts'
import { printingProgram, Viewers } from './fleet-viewers.ts'
import { TestInstallation } from './test-installation.ts'

/** Each start takes a second or two of processor time. */
const startsAtOnce = 4
const serversAtOnce = 8
const startTimeoutMs = 90_000
const serverTimeoutMs = 60_000
const addServersTimeoutMs = 420_000
/** Nodes report every few seconds, and are shown as offline after a silence. */
const reportTimeoutMs = 60_000
/** Servers that print lines. They are among the first servers, on nodes that are not killed. */
const printingServerCount = 5
const firstServers = 10

/** The size of the benchmark. */
export interface FleetSize {
  readonly nodes: number
  /** Nodes that are killed at the end. */
  readonly killedNodes: number
  /** The number of servers in each round, ascending. */
  readonly rounds: readonly number[]
  readonly viewers: number
}

export interface FleetServer {
  readonly id: string
  readonly node: FleetNode
  readonly printsLines: boolean
}

const isUp = (state: NodeState | undefined): boolean => state === 'online' || state === 'degraded'

/** A panel, nodes in separate processes, their servers, and viewers. All of it on loopback. */
export class Fleet implements AsyncDisposable {
  readonly installation: TestInstallation
  readonly nodes: FleetNode[] = []
  readonly servers: FleetServer[] = []
  readonly viewers: Viewers
  readonly #size: FleetSize

  private constructor(installation: TestInstallation, size: FleetSize) {
    this.installation = installation
    this.viewers = new Viewers(installation)
    this.#size = size
  }

  /** Starts only the panel. */
  static async start(size: FleetSize): Promise<Fleet> {
    return new Fleet(await TestInstallation.start('panel'), size)
  }

  get printingServers(): readonly string[] {
    return this.servers.filter(({ printsLines }) => printsLines).map(({ id }) => id)
  }

  get serversOnKilledNodes(): readonly FleetServer[] {
    return this.servers.filter(({ node }) => !node.isRunning)
  }

  /** Adds all nodes and starts them with the configuration of the panel. */
  async startNodes(): Promise<void> {
    const folder = join(this.installation.dataDir, 'nodes')
    await mkdir(folder)
    // The users of servers must be able to enter their folders below.
    for (const folderAbove of [this.installation.dataDir, folder]) await chmod(folderAbove, 0o711)
    const ports = await freePorts(2 * this.#size.nodes)
    for (let index = 0; index < this.#size.nodes; index++) {
      const [nodePort = 0, sftpPort = 0] = ports.splice(0, 2)
      const name = `node-${String(index + 1).padStart(2, '0')}`
      const options = {
        name,
        folder,
        nodePort,
        sftpPort,
        uids: uidRange(index),
        willBeKilled: isKilled(index, this.#size),
      }
      this.nodes.push(await FleetNode.register(this.installation, options))
    }
    await forEachConcurrent(this.nodes, startsAtOnce, (node) => this.#start(node))
  }

  /** Creates and starts servers up to a total, evenly on all nodes, and waits until the panel knows that they run. */
  async addServers(total: number): Promise<void> {
    const missing = Array.from({ length: total }, (_, index) => index).slice(this.servers.length)
    const creation = forEachConcurrent(missing, serversAtOnce, async (index) => {
      this.servers[index] = await withTimeout(`server ${index} runs`, serverTimeoutMs, this.#createServer(index))
    })
    await withTimeout(`${total} servers run`, addServersTimeoutMs, creation)
    await this.waitUntilRunning(total)
  }

  /** Waits until the panel shows this number of running servers. */
  async waitUntilRunning(total: number): Promise<void> {
    await waitUntil(
      `the panel shows ${total} running servers`,
      async () => {
        const nodes = await this.installation.send<Node[]>(listNodes)
        return nodes.reduce((sum, { health }) => sum + (health?.servers?.running ?? 0), 0) === total
      },
      reportTimeoutMs,
    )
  }

  /** Connects half of the viewers to the servers that print lines, and the others to the other servers. */
  async connectViewers(): Promise<void> {
    const silentServers = this.servers.filter(({ printsLines }) => !printsLines).map(({ id }) => id)
    const watched = Array.from({ length: this.#size.viewers }, (_, index) => {
      const servers = index % 2 === 0 ? this.printingServers : silentServers
      return servers[Math.floor(index / 2) % servers.length] as string
    })
    await this.viewers.open(watched)
  }

  /** Kills nodes with SIGKILL; their servers keep running. */
  async killNodes(): Promise<void> {
    await Promise.all(this.nodes.filter(({ willBeKilled }) => willBeKilled).map((node) => node.kill()))
  }

  /** Waits until the panel shows exactly the killed nodes as offline. */
  async waitUntilNoticed(): Promise<void> {
    await waitUntil(
      'the panel shows the killed nodes as offline',
      async () => {
        const states = new Map(
          (await this.installation.send<Node[]>(listNodes)).map(({ id, health }) => [id, health?.state] as const),
        )
        return this.nodes.every(({ id, isRunning }) => isUp(states.get(id)) === isRunning)
      },
      reportTimeoutMs,
    )
  }

  /** Starts the killed nodes again. */
  async restartNodes(): Promise<void> {
    await forEachConcurrent(
      this.nodes.filter(({ isRunning }) => !isRunning),
      startsAtOnce,
      (node) => this.#start(node),
    )
  }

  /** Stops everything, including servers of killed nodes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.viewers.close()
    const failures: unknown[] = []
    await forEachConcurrent(this.nodes, startsAtOnce, (node) =>
      node[Symbol.asyncDispose]().catch((error) => failures.push(error)),
    )
    await this.installation[Symbol.asyncDispose]()
    if (failures.length > 0) throw failures[0]
  }

  /** Starts a node and waits until the panel shows it as online. */
  async #start(node: FleetNode): Promise<void> {
    const startedAt = Date.now()
    node.start()
    await waitUntil(
      `${node.name} has joined`,
      async () => {
        if (!node.isRunning) throw new Error(`${node.name} has exited`)
        const { health } = await this.installation.send<Node>(getNode, { params: { id: node.id } })
        return isUp(health?.state) && Date.parse(health?.seenAt ?? '') >= startedAt
      },
      startTimeoutMs,
    )
  }

  async #createServer(index: number): Promise<FleetServer> {
    const node = this.nodes[index % this.nodes.length]
    if (!node) throw new Error('there is no node')
    const staysOnline = (server: number) => !this.nodes[server % this.nodes.length]?.willBeKilled
    const candidates = Array.from({ length: firstServers }, (_, server) => server).filter(staysOnline)
    const printsLines = candidates.slice(0, printingServerCount).includes(index)
    const body = {
      name: `fleet ${String(index).padStart(4, '0')}`,
      node: node.id,
      type: 'bench',
      environment: { type: 'standard' },
      run: { command: printsLines ? `${process.execPath} tick.mjs` : 'cat', stopCode: 15 },
      data: {},
    }
    const { id } = await this.installation.send<{ id: string }>(createServer, { body })
    if (printsLines) await writeFile(join(node.dataDir, 'servers', id, 'tick.mjs'), printingProgram)
    await this.installation.send(startServer, { params: { id }, query: { wait: true } })
    return { id, node, printsLines }
  }
}

/** The killed nodes are spread evenly, so that each page of the list contains servers of some. */
function isKilled(index: number, { nodes, killedNodes }: FleetSize): boolean {
  const interval = Math.floor(nodes / killedNodes)
  return index % interval === interval - 1 && index < interval * killedNodes
}

/** A range of user IDs that no other node uses. */
function uidRange(index: number): string {
  const count = 10_000
  const first = defaultUidRange.first + index * count
  return `${first}-${first + count - 1}`
}

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}
