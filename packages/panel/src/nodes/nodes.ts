import { limits } from '@innkeeper/contract/limits'
import { panelOnlyEndpoints } from '@innkeeper/contract/node-servers'
import type { NodeReport } from '@innkeeper/contract/node-to-panel'
import { localNodeId, type Node, type NodeChoice, NodeFeatures, type NodeSummary } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import type { Transaction } from '../database/schema.ts'
import type { ClientInfo } from '../routing/route-context.ts'
import { localAddress } from './local-address.ts'
import { NodeClient, type NodeEndpoint, panelIdentity } from './node-client.ts'
import { type NodeRepository, toNode } from './node-repository.ts'
import type { NodeReports } from './reports.ts'
import type { Tickets } from './tickets.ts'

/** The node on the panel's machine. */
export interface LocalNode {
  readonly name: 'LocalNode'
  readonly socketPath: string
  readonly sftpPort: number
  /** Its public signing key. */
  readonly publicKey?: JWK | undefined
  /** The socket on which the panel listens for it. */
  readonly panelSocketPath?: string
}

interface Deps {
  readonly localNode: LocalNode | undefined
  readonly repository: NodeRepository
  readonly reports: NodeReports
  /** The configured URL of the panel. */
  readonly masterUrl: () => string | undefined
  readonly tickets: Tickets
  readonly log: Logger
  readonly now: () => number
}

export type NodesService = ReturnType<typeof nodesService>

/** Nodes and the connections to them. */
export function nodesService({ localNode, repository, reports, masterUrl, tickets, log, now }: Deps) {
  /** Clients by node, each for the address it was created for. */
  const clients = new Map<number, { readonly for: string; readonly client: NodeClient }>()
  /** Cached features of nodes, at most `limits.nodeFeaturesMs` old; concurrent calls share one request. */
  const featureCache = new Map<number, { readonly at: number; readonly features: Promise<NodeFeatures | undefined> }>()

  function clientTo(nodeId: number, place: NodeEndpoint): NodeClient {
    const address = JSON.stringify(place)
    const connected = clients.get(nodeId)
    if (connected?.for === address) return connected.client
    disconnect(nodeId)
    const client = new NodeClient({ nodeId, place }, tickets)
    clients.set(nodeId, { for: address, client })
    return client
  }

  /** Pending requests of the client are aborted: the address or the identity of the node has changed. */
  function disconnect(nodeId: number): void {
    void clients.get(nodeId)?.client.close()
    clients.delete(nodeId)
    featureCache.delete(nodeId)
  }

  async function find(nodeId: number): Promise<NodeClient | undefined> {
    if (nodeId === localNodeId) {
      if (!localNode) return undefined
      return clientTo(localNodeId, { socketPath: localNode.socketPath })
    }
    const row = await repository.find(nodeId)
    // Its certificate is unknown before it has joined.
    if (row?.joined_at == null) disconnect(nodeId)
    if (!row) return undefined
    if (row.joined_at === null) throw new Refusal('ErrServiceNotAvailable')
    const { private_host: host, private_port: port, certificate } = row
    return clientTo(nodeId, { host, port, certificate })
  }

  function features(client: NodeClient): Promise<NodeFeatures | undefined> {
    const cached = featureCache.get(client.nodeId)
    if (cached && Math.abs(now() - cached.at) < limits.nodeFeaturesMs) return cached.features
    const request = askFeatures(client)
    featureCache.set(client.nodeId, { at: now(), features: request })
    // A failed request is not cached: an offline node may be back at any time.
    void request.then((answer) => {
      if (!answer && featureCache.get(client.nodeId)?.features === request) featureCache.delete(client.nodeId)
    })
    return request
  }

  async function askFeatures(client: NodeClient): Promise<NodeFeatures | undefined> {
    try {
      const { method, path } = panelOnlyEndpoints.features
      return NodeFeatures.parse(await client.request(panelIdentity, { method, path, timeoutMs: limits.nodeUsageMs }))
    } catch (error) {
      log.debug({ err: error, nodeId: client.nodeId }, 'the features of a node could not be read')
      return undefined
    }
  }

  function localNodeFrom(from: ClientInfo): Node {
    const { host, port } = localAddress(masterUrl(), from)
    return {
      id: localNodeId,
      name: localNode?.name ?? 'LocalNode',
      publicHost: host,
      publicPort: port,
      privateHost: host,
      privatePort: port,
      sftpPort: localNode?.sftpPort ?? 5657,
      isLocal: true,
    }
  }

  /** All nodes; the local one first. */
  async function described(from: ClientInfo): Promise<Node[]> {
    const others = (await repository.all()).map(toNode)
    return localNode ? [localNodeFrom(from), ...others] : others
  }

  async function list(from: ClientInfo): Promise<Node[]> {
    const all = await described(from)
    const health = await reports.healthOf(all.map(({ id }) => id))
    return all.map((node) => ({ ...node, health: health.get(node.id) ?? { state: 'waiting', problems: [] } }))
  }

  /** Checks whether this panel reaches a node that reports: a node behind a firewall would look healthy. */
  async function checkReachability(nodeId: number): Promise<void> {
    const client = await find(nodeId)
    if (!client) return
    featureCache.delete(nodeId)
    await reports.saveReachability(nodeId, (await features(client)) !== undefined)
  }

  async function askMissingPrograms(nodeId: number, programs: readonly string[]): Promise<string[] | undefined> {
    try {
      const { method, path, response } = panelOnlyEndpoints.missingPrograms
      const client = await find(nodeId)
      const request = client?.request(panelIdentity, {
        method,
        path,
        body: { programs },
        timeoutMs: limits.nodeUsageMs,
      })
      return response.parse(await request).missing
    } catch (error) {
      log.debug({ err: error, nodeId }, 'the programs of a node could not be read')
      return undefined
    }
  }

  return {
    list,

    /** The missing programs of each node; nodes that do not respond are omitted. */
    async missingPrograms(programs: readonly string[]): Promise<{ node: number; missing: string[] }[]> {
      const others = (await repository.all()).map(({ id }) => id)
      const answers = (localNode ? [localNodeId, ...others] : others).map(async (node) => {
        const missing = await askMissingPrograms(node, programs)
        return missing ? [{ node, missing }] : []
      })
      return (await Promise.all(answers)).flat()
    },

    /** Nodes for users who see one of their servers. */
    async summaries(from: ClientInfo): Promise<(nodeId: number) => NodeSummary> {
      const known = new Map((await described(from)).map((node) => [node.id, summaryOf(node)]))
      return (nodeId) => known.get(nodeId) ?? { ...summaryOf(localNodeFrom(from)), id: nodeId, isLocal: false }
    },

    async get(nodeId: number, from: ClientInfo): Promise<Node> {
      const node = (await list(from)).find(({ id }) => id === nodeId)
      if (!node) throw new Refusal('ErrNotFound')
      return node
    },

    /** From the last report: lists do not wait for nodes. The local one may have just started, so it is requested. */
    async choices(from: ClientInfo): Promise<NodeChoice[]> {
      const choices = (await list(from)).map(async ({ health, ...node }) => {
        const local = node.isLocal ? await find(localNodeId) : undefined
        const able = local ? await features(local) : health?.features
        const online = local ? able !== undefined : health?.state === 'online' || health?.state === 'degraded'
        const { seenAt, servers } = health ?? {}
        return {
          ...summaryOf(node),
          online,
          ...(able && online ? { features: able } : {}),
          ...(seenAt !== undefined && { seenAt }),
          ...(servers && { servers }),
        }
      })
      return Promise.all(choices)
    },

    /** The features of a node. Throws when it does not respond. */
    async featuresOf(nodeId: number): Promise<NodeFeatures> {
      const client = await find(nodeId)
      if (!client) throw new Refusal('ErrNotFound')
      const able = await features(client)
      if (!able) throw new Refusal('ErrServiceNotAvailable')
      return able
    },

    /** The client of a node for a new server. */
    async requireForCreate(nodeId: number): Promise<NodeClient> {
      const client = await find(nodeId)
      if (client) return client
      if (!localNode && (await repository.all()).length === 0) throw new Refusal('ErrNoNodes')
      throw new Refusal('ErrNodeInvalid')
    },

    /** The client of a server's node. */
    async clientFor(nodeId: number): Promise<NodeClient> {
      const client = await find(nodeId)
      if (!client) throw new Refusal('ErrServiceNotAvailable')
      return client
    },

    /** Locks the node of a new server until the end of the transaction, so that it is not deleted. */
    async lockForUpdate(transaction: Transaction, nodeId: number): Promise<void> {
      if (nodeId !== localNodeId) await repository.lockForUpdate(transaction, nodeId)
    },

    /** Disconnects nodes whose address or identity has changed, also without new requests. */
    async reconcile(): Promise<void> {
      for (const nodeId of clients.keys()) {
        await find(nodeId).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        })
      }
    },

    /** Stores a node's report. */
    async report(nodeId: number, report: NodeReport): Promise<void> {
      const { shouldReach } = await reports.save(nodeId, report)
      if (!shouldReach || nodeId === localNodeId) return
      checkReachability(nodeId).catch((error: unknown) =>
        log.warn({ err: error, nodeId }, 'checking whether a node is reachable failed'),
      )
    },

    /** Whether the local node, if there is one, responds. */
    async isLocalReady(): Promise<boolean> {
      const client = await find(localNodeId)
      return client === undefined || (await features(client)) !== undefined
    },

    async close(): Promise<void> {
      await Promise.all([...clients.values()].map(({ client }) => client.close()))
    },
  }
}

const summaryOf = ({ id, name, publicHost, publicPort, sftpPort, isLocal }: NodeSummary): NodeSummary => ({
  id,
  name,
  publicHost,
  publicPort,
  sftpPort,
  isLocal,
})
