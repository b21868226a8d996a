import { limits } from '@innkeeper/contract/limits'
import { forPanel } from '@innkeeper/contract/node-servers'
import { localNodeId, type Node, type NodeChoice, NodeFeatures, type NodeSummary } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import type { Origin } from '../access/serve.ts'
import { localAddress } from './local-address.ts'
import { asPanel, NodeClient } from './node-client.ts'
import type { Tickets } from './tickets.ts'

/** The node that shares the panel's machine. */
export interface LocalNode {
  readonly name: 'LocalNode'
  readonly socketPath: string
  readonly sftpPort: number
  /** What it signs its own requests with. */
  readonly publicKey?: JWK | undefined
  /** Where the panel listens for it. */
  readonly panelSocketPath?: string
}

interface Needs {
  readonly localNode: LocalNode | undefined
  /** The address under which people reach the panel, when somebody said. */
  readonly masterUrl: () => string | undefined
  readonly tickets: Tickets
  readonly log: Logger
  readonly now: () => number
}

export type NodesService = ReturnType<typeof nodesService>

/** The machines that run servers. */
export function nodesService({ localNode, masterUrl, tickets, log, now }: Needs) {
  const clients = new Map<number, NodeClient>()
  if (localNode) {
    const address = { nodeId: localNodeId, socketPath: localNode.socketPath }
    clients.set(localNodeId, new NodeClient(address, tickets))
  }
  /** What nodes said they can do, at most `limits.nodeFeaturesMs` old; asked once for all who want to know. */
  const told = new Map<number, { readonly at: number; readonly features: Promise<NodeFeatures | undefined> }>()

  function features(client: NodeClient): Promise<NodeFeatures | undefined> {
    const held = told.get(client.nodeId)
    if (held && Math.abs(now() - held.at) < limits.nodeFeaturesMs) return held.features
    const asked = askFeatures(client)
    told.set(client.nodeId, { at: now(), features: asked })
    // A node that was away may be back at any moment: only what it said is kept.
    void asked.then((answer) => {
      if (!answer) told.delete(client.nodeId)
    })
    return asked
  }

  async function askFeatures(client: NodeClient): Promise<NodeFeatures | undefined> {
    try {
      const { method, path } = forPanel.features
      return NodeFeatures.parse(await client.ask(asPanel, { method, path, timeoutMs: limits.nodeUsageMs }))
    } catch (error) {
      log.debug({ err: error, nodeId: client.nodeId }, 'a node did not say what it can do')
      return undefined
    }
  }

  /** The node as people who see one of its servers see it. */
  function summary(nodeId: number, from: Origin): NodeSummary {
    const isLocal = nodeId === localNodeId
    const { host, port } = localAddress(masterUrl(), from)
    return {
      id: nodeId,
      name: localNode?.name ?? 'LocalNode',
      publicHost: host,
      publicPort: port,
      sftpPort: localNode?.sftpPort ?? 5657,
      isLocal,
    }
  }

  return {
    summary,

    list(from: Origin): Node[] {
      return [...clients.keys()].map((nodeId) => {
        const node = summary(nodeId, from)
        return { ...node, privateHost: node.publicHost, privatePort: node.publicPort }
      })
    },

    async choices(from: Origin): Promise<NodeChoice[]> {
      const choices = [...clients.values()].map(async (client) => {
        const able = await features(client)
        const node = summary(client.nodeId, from)
        return able ? { ...node, online: true, features: able } : { ...node, online: false }
      })
      return Promise.all(choices)
    },

    /** What a node can do; refused while it does not answer. */
    async featuresOf(nodeId: number): Promise<NodeFeatures> {
      const client = clients.get(nodeId)
      if (!client) throw new Refusal('ErrNotFound')
      const able = await features(client)
      if (!able) throw new Refusal('ErrServiceNotAvailable')
      return able
    },

    /** The way to a node that a server can be created on. */
    chosen(nodeId: number): NodeClient {
      if (clients.size === 0) throw new Refusal('ErrNoNodes')
      const client = clients.get(nodeId)
      if (!client) throw new Refusal('ErrNodeInvalid')
      return client
    },

    /** The way to the node of a server. */
    clientFor(nodeId: number): NodeClient {
      const client = clients.get(nodeId)
      if (!client) throw new Refusal('ErrServiceNotAvailable')
      return client
    },

    /** Whether the local node, where there should be one, answers. */
    async isLocalReady(): Promise<boolean> {
      const client = clients.get(localNodeId)
      return client === undefined || (await features(client)) !== undefined
    },

    async close(): Promise<void> {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}
