import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { startServer } from '@innkeeper/contract/node-servers'
import { getNode, listNodes, type Node, type NodeState } from '@innkeeper/contract/nodes'
import { createServer } from '@innkeeper/contract/servers'
import { defaultUidRange } from '@innkeeper/daemon/isolation/uid-allocator'
import { FleetNode } from './fleet-node.ts'
import { ticking, Viewers } from './fleet-viewers.ts'
import { Product } from './product.ts'
import { each, until, within } from './waiting.ts'

/** Each start takes a second or two of processor time. */
const startsAtOnce = 4
const serversAtOnce = 8
const startMs = 90_000
const serverMs = 60_000
const growMs = 420_000
/** Reports come every ten seconds at the latest, and a silent node is missed after thirty. */
const hearMs = 60_000
/** How many servers print lines; they are among the first ones, and on nodes that stay. */
const tickingServers = 5
const firstServers = 10

/** How many of what. */
export interface FleetSize {
  readonly nodes: number
  /** How many of them are killed in the end. */
  readonly dead: number
  /** How many servers there are in each round, the fewest first. */
  readonly rounds: readonly number[]
  readonly viewers: number
}

export interface FleetServer {
  readonly id: string
  readonly node: FleetNode
  readonly isTicking: boolean
}

const isUp = (state: NodeState | undefined): boolean => state === 'online' || state === 'degraded'

/** A panel, nodes that are programs of their own, their servers, and people who look at them. All of it on loopback. */
export class Fleet implements AsyncDisposable {
  readonly product: Product
  readonly nodes: FleetNode[] = []
  readonly servers: FleetServer[] = []
  readonly viewers: Viewers
  readonly #size: FleetSize

  private constructor(product: Product, size: FleetSize) {
    this.product = product
    this.viewers = new Viewers(product)
    this.#size = size
  }

  /** The panel alone. */
  static async open(size: FleetSize): Promise<Fleet> {
    return new Fleet(await Product.start('panel'), size)
  }

  get ticking(): readonly string[] {
    return this.servers.filter(({ isTicking }) => isTicking).map(({ id }) => id)
  }

  get onDeadNodes(): readonly FleetServer[] {
    return this.servers.filter(({ node }) => !node.isRunning)
  }

  /** Starts every node as its page in the panel says. */
  async join(): Promise<void> {
    const folder = join(this.product.dataDir, 'nodes')
    await mkdir(folder)
    // The users of servers pass through here to their own.
    for (const above of [this.product.dataDir, folder]) await chmod(above, 0o711)
    const ports = await freePorts(2 * this.#size.nodes)
    for (let at = 0; at < this.#size.nodes; at++) {
      const [nodePort = 0, sftpPort = 0] = ports.splice(0, 2)
      const name = `node-${String(at + 1).padStart(2, '0')}`
      const isDoomed = isToDie(at, this.#size)
      const place = { name, folder, nodePort, sftpPort, uids: uidsOf(at), isDoomed }
      this.nodes.push(await FleetNode.describe(this.product, place))
    }
    await each(this.nodes, startsAtOnce, (node) => this.#start(node))
  }

  /** Makes servers and starts them, until there are so many, evenly on all nodes; the panel has heard of all of them. */
  async grow(total: number): Promise<void> {
    const missing = Array.from({ length: total }, (_, at) => at).slice(this.servers.length)
    const made = each(missing, serversAtOnce, async (at) => {
      this.servers[at] = await within(`server ${at} runs`, serverMs, this.#makeServer(at))
    })
    await within(`${total} servers run`, growMs, made)
    await this.untilRunning(total)
  }

  /** Waits until the panel has heard that so many servers run. */
  async untilRunning(total: number): Promise<void> {
    await until(
      `the panel knows that ${total} servers run`,
      async () => {
        const nodes = await this.product.ask<Node[]>(listNodes)
        return nodes.reduce((sum, { health }) => sum + (health?.servers?.running ?? 0), 0) === total
      },
      hearMs,
    )
  }

  /** Has half of the viewers before the servers that print, and the others before the others. */
  async seat(): Promise<void> {
    const { ticking } = this
    const silent = this.servers.filter(({ isTicking }) => !isTicking).map(({ id }) => id)
    const seats = Array.from({ length: this.#size.viewers }, (_, at) => {
      const servers = at % 2 === 0 ? ticking : silent
      return servers[Math.floor(at / 2) % servers.length] as string
    })
    await this.viewers.open(seats)
  }

  /** Kills the nodes that are to die, as a power cut would; what runs on their machines runs on. */
  async kill(): Promise<void> {
    await Promise.all(this.nodes.filter(({ isDoomed }) => isDoomed).map((node) => node.kill()))
  }

  /** Waits until the panel says that exactly those that live are there. */
  async untilSeen(): Promise<void> {
    await until(
      'the panel knows which nodes are dead',
      async () => {
        const states = new Map(
          (await this.product.ask<Node[]>(listNodes)).map(({ id, health }) => [id, health?.state] as const),
        )
        return this.nodes.every(({ id, isRunning }) => isUp(states.get(id)) === isRunning)
      },
      hearMs,
    )
  }

  /** Starts those again. */
  async revive(): Promise<void> {
    await each(
      this.nodes.filter(({ isRunning }) => !isRunning),
      startsAtOnce,
      (node) => this.#start(node),
    )
  }

  /** Ends everything, also what a node that is gone has left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.viewers.close()
    const failures: unknown[] = []
    await each(this.nodes, startsAtOnce, (node) => node[Symbol.asyncDispose]().catch((error) => failures.push(error)))
    await this.product[Symbol.asyncDispose]()
    if (failures.length > 0) throw failures[0]
  }

  /** It is away until the panel has heard of it. */
  async #start(node: FleetNode): Promise<void> {
    const began = Date.now()
    node.start()
    await until(
      `${node.name} has joined`,
      async () => {
        if (!node.isRunning) throw new Error(`${node.name} ended`)
        const { health } = await this.product.ask<Node>(getNode, { params: { id: node.id } })
        return isUp(health?.state) && Date.parse(health?.seenAt ?? '') >= began
      },
      startMs,
    )
  }

  async #makeServer(at: number): Promise<FleetServer> {
    const node = this.nodes[at % this.nodes.length]
    if (!node) throw new Error('there is no node')
    const stays = (other: number) => !this.nodes[other % this.nodes.length]?.isDoomed
    const first = Array.from({ length: firstServers }, (_, other) => other).filter(stays)
    const isTicking = first.slice(0, tickingServers).includes(at)
    const body = {
      name: `fleet ${String(at).padStart(4, '0')}`,
      node: node.id,
      type: 'bench',
      environment: { type: 'standard' },
      run: { command: isTicking ? `${process.execPath} tick.mjs` : 'cat', stopCode: 15 },
      data: {},
    }
    const { id } = await this.product.ask<{ id: string }>(createServer, { body })
    if (isTicking) await writeFile(join(node.dataDir, 'servers', id, 'tick.mjs'), ticking)
    await this.product.ask(startServer, { params: { id }, query: { wait: true } })
    return { id, node, isTicking }
  }
}

/** Every so-manieth node is to die, so that each page of the list has servers of some. */
function isToDie(at: number, { nodes, dead }: FleetSize): boolean {
  const every = Math.floor(nodes / dead)
  return at % every === every - 1 && at < every * dead
}

/** Each node gives its servers users that no other node gives. */
function uidsOf(at: number): string {
  const count = 10_000
  const first = defaultUidRange.first + at * count
  return `${first}-${first + count - 1}`
}

async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>()
  while (found.size < count) found.add(await freePort())
  return [...found]
}
