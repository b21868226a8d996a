import type { Duplex } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import { panelOnlyEndpoints } from '@innkeeper/contract/node-servers'
import type { NodeReport } from '@innkeeper/contract/node-to-panel'
import { localNodeId, type Node, type NodeChoice, NodeFeatures, type NodeSummary } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import type { ClientInfo } from '../access/route-context.ts'
import type { Transaction } from '../database/schema.ts'
import { localAddress } from './local-address.ts'
import { NodeClient, type NodeEndpoint, panelIdentity } from './node-client.ts'
import { type NodeRepository, toNode } from './node-repository.ts'
import type { NodeReports } from './reports.ts'
import type { Tickets } from './tickets.ts'

/** The node that shares the panel's machine. */
export interface LocalNode {
  readonly name: 'LocalNode'
  /** Takes connections from within this process; destroys them while it does not run. */
  readonly accept: (connection: Duplex) => void
  readonly socketPath: string
  readonly sftpPort: number
  /** What it signs its own requests with. */
  readonly publicKey?: JWK | undefined
  /** Where the panel listens for it. */
  readonly panelSocketPath?: string
}

interface Deps {
  readonly localNode: LocalNode | undefined
  readonly repository: NodeRepository
  readonly reports: NodeReports
  /** The address under which people reach the panel, when somebody said. */
  readonly masterUrl: () => string | undefined
  readonly tickets: Tickets
  readonly log: Logger
  readonly now: () => number
}

export type NodesService = ReturnType<typeof nodesService>

/** The machines that run servers. */
export function nodesService({ localNode, repository, reports, masterUrl, tickets, log, now }: Deps) {
  /** The ways to nodes, each for the address that it was made for. */
  const clients = new Map<number, { readonly for: string; readonly client: NodeClient }>()
  /** What nodes said they can do, at most `limits.nodeFeaturesMs` old; asked once for all who want to know. */
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

  /** What still runs over a way to a node ends with it: the node is elsewhere now, or another. */
  function disconnect(nodeId: number): void {
    void clients.get(nodeId)?.client.close()
    clients.delete(nodeId)
    featureCache.delete(nodeId)
  }

  async function find(nodeId: number): Promise<NodeClient | undefined> {
    if (nodeId === localNodeId) {
      if (!localNode) return undefined
      const { socketPath, accept } = localNode
      return clientTo(localNodeId, { socketPath, accept })
    }
    const row = await repository.find(nodeId)
    // Before it joined nobody knows what it must show.
    if (row?.joined_at == null) disconnect(nodeId)
    if (!row) return undefined
    if (row.joined_at === null) throw new Refusal('ErrServiceNotAvailable')
    const { private_host: host, private_port: port, certificate } = row
    return clientTo(nodeId, { host, port, certificate })
  }

  function features(client: NodeClient): Promise<NodeFeatures | undefined> {
    const held = featureCache.get(client.nodeId)
    if (held && Math.abs(now() - held.at) < limits.nodeFeaturesMs) return held.features
    const asked = askFeatures(client)
    featureCache.set(client.nodeId, { at: now(), features: asked })
    // A node that was away may be back at any moment: only what it said is kept.
    void asked.then((answer) => {
      if (!answer && featureCache.get(client.nodeId)?.features === asked) featureCache.delete(client.nodeId)
    })
    return asked
  }

  async function askFeatures(client: NodeClient): Promise<NodeFeatures | undefined> {
    try {
      const { method, path } = panelOnlyEndpoints.features
      return NodeFeatures.parse(await client.request(panelIdentity, { method, path, timeoutMs: limits.nodeUsageMs }))
    } catch (error) {
      log.debug({ err: error, nodeId: client.nodeId }, 'a node did not say what it can do')
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

  /** Every node as it is described; the local one first. */
  async function described(from: ClientInfo): Promise<Node[]> {
    const others = (await repository.all()).map(toNode)
    return localNode ? [localNodeFrom(from), ...others] : others
  }

  async function list(from: ClientInfo): Promise<Node[]> {
    const all = await described(from)
    const health = await reports.healthOf(all.map(({ id }) => id))
    return all.map((node) => ({ ...node, health: health.get(node.id) ?? { state: 'waiting', problems: [] } }))
  }

  /** Sees whether this panel reaches a node that reports; a node behind a wall would look well. */
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
      const asked = client?.request(panelIdentity, { method, path, body: { programs }, timeoutMs: limits.nodeUsageMs })
      return response.parse(await asked).missing
    } catch (error) {
      log.debug({ err: error, nodeId }, 'a node did not say which programs it has')
      return undefined
    }
  }

  return {
    list,

    /** Which of these programs the machine of each node does not have; nodes that do not answer are left out. */
    async missingPrograms(programs: readonly string[]): Promise<{ node: number; missing: string[] }[]> {
      const others = (await repository.all()).map(({ id }) => id)
      const answers = (localNode ? [localNodeId, ...others] : others).map(async (node) => {
        const missing = await askMissingPrograms(node, programs)
        return missing ? [{ node, missing }] : []
      })
      return (await Promise.all(answers)).flat()
    },

    /** How nodes look to people who see one of their servers. */
    async summaries(from: ClientInfo): Promise<(nodeId: number) => NodeSummary> {
      const known = new Map((await described(from)).map((node) => [node.id, summaryOf(node)]))
      return (nodeId) => known.get(nodeId) ?? { ...summaryOf(localNodeFrom(from)), id: nodeId, isLocal: false }
    },

    async get(nodeId: number, from: ClientInfo): Promise<Node> {
      const node = (await list(from)).find(({ id }) => id === nodeId)
      if (!node) throw new Refusal('ErrNotFound')
      return node
    },

    /** From what they said last: no list waits for a node. The local one is asked, it may just have started. */
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

    /** What a node can do; refused while it does not answer. */
    async featuresOf(nodeId: number): Promise<NodeFeatures> {
      const client = await find(nodeId)
      if (!client) throw new Refusal('ErrNotFound')
      const able = await features(client)
      if (!able) throw new Refusal('ErrServiceNotAvailable')
      return able
    },

    /** The way to a node that a server can be created on. */
    async requireForCreate(nodeId: number): Promise<NodeClient> {
      const client = await find(nodeId)
      if (client) return client
      if (!localNode && (await repository.all()).length === 0) throw new Refusal('ErrNoNodes')
      throw new Refusal('ErrNodeInvalid')
    },

    /** The way to the node of a server. */
    async clientFor(nodeId: number): Promise<NodeClient> {
      const client = await find(nodeId)
      if (!client) throw new Refusal('ErrServiceNotAvailable')
      return client
    },

    /** Keeps the node of a new server from being deleted until the transaction ends. */
    async lockForUpdate(transaction: Transaction, nodeId: number): Promise<void> {
      if (nodeId !== localNodeId) await repository.lockForUpdate(transaction, nodeId)
    },

    /** Leaves nodes that are elsewhere now, or not believed any more, also when nobody asks anything of them. */
    async reconcile(): Promise<void> {
      for (const nodeId of clients.keys()) {
        await find(nodeId).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        })
      }
    },

    /** Takes what a node says of itself. */
    async report(nodeId: number, report: NodeReport): Promise<void> {
      const { shouldReach } = await reports.save(nodeId, report)
      if (!shouldReach || nodeId === localNodeId) return
      checkReachability(nodeId).catch((error: unknown) =>
        log.warn({ err: error, nodeId }, 'whether a node is reached is not known'),
      )
    },

    /** Whether the local node, where there should be one, answers. */
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
