import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { localNodeId, type NodeFeatures } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { cachedValue } from '../caching/cached-value.ts'
import { NodeClient } from './client/node-client.ts'
import { localTransport, type NodeTransport, RemoteTransport } from './client/node-transport.ts'
import type { NodeTunnels } from './client/node-tunnels.ts'
import type { TicketSigner } from './client/tickets.ts'
import type { NodeRepository } from './node-repository.ts'

const featureCacheMs = 10_000

interface Connected {
  readonly for: string
  readonly client: NodeClient
  readonly transport: NodeTransport
}

/** How this panel reaches a node. */
export type Reachability = 'direct' | 'tunnel' | 'unreachable'

interface Deps {
  /** The socket of the local node, if there is one. */
  readonly localSocket: string | undefined
  readonly repository: Pick<NodeRepository, 'find'>
  readonly tunnels: Pick<NodeTunnels, 'owners' | 'openStream' | 'close'>
  readonly tickets: TicketSigner
  readonly log: Logger
  readonly now: () => number
}

/** The clients of nodes, each created at its first use, and the features that nodes report. */
export class NodeConnections {
  readonly #deps: Deps
  /** Clients by node, each for the address it was created for. */
  readonly #clients = new Map<number, Connected>()
  /** Cached features of nodes; concurrent calls share one request. */
  readonly #features = new Map<number, ReturnType<typeof cachedValue<NodeFeatures>>>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * The client of a node; `undefined` when there is no such node.
   * @throws ErrServiceNotAvailable for a node that has not joined
   */
  async find(nodeId: number): Promise<NodeClient | undefined> {
    const { localSocket, repository } = this.#deps
    if (nodeId === localNodeId) {
      if (localSocket === undefined) return undefined
      return this.#clientAt(localNodeId, localSocket, () => localTransport(localSocket))
    }
    const row = await repository.find(nodeId)
    // Its certificate is unknown before it has joined.
    if (row?.joined_at == null) this.#disconnect(nodeId)
    if (!row) return undefined
    if (row.joined_at === null) throw new Refusal('ErrServiceNotAvailable')
    const { private_host: host, private_port: port, certificate } = row
    const remote = { host, port, certificate }
    const create = () => new RemoteTransport(remote, () => this.#deps.tunnels.openStream(nodeId))
    return this.#clientAt(nodeId, JSON.stringify(remote), create)
  }

  /** The features of a node, cached for a short time; `undefined` when it does not respond. */
  async readFeatures(client: NodeClient): Promise<NodeFeatures | undefined> {
    const { now, log } = this.#deps
    const features =
      this.#features.get(client.nodeId) ??
      cachedValue(() => client.call(panelEndpoints.getFeatures, {}, { timeoutMs: limits.nodeUsageMs }), {
        maxAgeMs: featureCacheMs,
        now,
      })
    this.#features.set(client.nodeId, features)
    try {
      return await features.get()
    } catch (error) {
      log.debug({ err: error, nodeId: client.nodeId }, 'the features of a node could not be read')
      return undefined
    }
  }

  /** How this panel reaches a node at this moment. A direct way has precedence from now on. */
  async checkReachability(client: NodeClient): Promise<Reachability> {
    const transport = this.#clients.get(client.nodeId)?.transport
    const isDirect = transport instanceof RemoteTransport && (await transport.checkDirect())
    this.#features.delete(client.nodeId)
    if ((await this.readFeatures(client)) === undefined) return 'unreachable'
    return isDirect ? 'direct' : 'tunnel'
  }

  /** The same, and `undefined` for a node that has not joined. */
  async tryFind(nodeId: number): Promise<NodeClient | undefined> {
    return await this.find(nodeId).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined
      throw error
    })
  }

  /** Disconnects nodes whose address or identity has changed, also without new requests. */
  async reconcile(): Promise<void> {
    for (const nodeId of this.#clients.keys()) await this.tryFind(nodeId)
    const { tunnels, repository } = this.#deps
    for (const { nodeId, joinedAt } of tunnels.owners) {
      if ((await repository.find(nodeId))?.joined_at !== joinedAt) tunnels.close(nodeId)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ client }) => client.close()))
  }

  #clientAt(nodeId: number, address: string, createTransport: () => NodeTransport): NodeClient {
    const connected = this.#clients.get(nodeId)
    if (connected?.for === address) return connected.client
    this.#disconnect(nodeId)
    const transport = createTransport()
    const client = new NodeClient({ nodeId, transport }, this.#deps.tickets)
    this.#clients.set(nodeId, { for: address, client, transport })
    return client
  }

  /** Pending requests of the client are aborted: the address or the identity of the node has changed. */
  #disconnect(nodeId: number): void {
    void this.#clients.get(nodeId)?.client.close()
    this.#clients.delete(nodeId)
    this.#features.delete(nodeId)
  }
}
