import type { Duplex } from 'node:stream'
import type { RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { BackupUsage } from '@innkeeper/contract/backups/node-backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { NodeReport } from '@innkeeper/contract/node-link/node-to-panel'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { localNodeId, type NodeFeatures } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { Transaction } from '../database/schema.ts'
import type { AvailabilityService } from './availability.ts'
import type { EndpointOfNode, NodeClient } from './client/node-client.ts'
import type { NodeStates } from './client/node-states.ts'
import type { NodeTunnels } from './client/node-tunnels.ts'
import type { TicketSigner } from './client/tickets.ts'
import { namedNodes } from './named-nodes.ts'
import { NodeConnections } from './node-connections.ts'
import type { NodeRepository } from './node-repository.ts'
import { type LocalNode, nodeViews } from './node-views.ts'
import type { PlacementSettingsService } from './placement-settings.ts'
import type { NodeReports } from './reports.ts'
import type { RoomsService } from './rooms.ts'

interface Deps {
  readonly localNode: LocalNode | undefined
  /** The SFTP port of this panel. */
  readonly sftpPort?: number | undefined
  readonly repository: NodeRepository
  readonly reports: NodeReports
  readonly availability: Pick<AvailabilityService, 'read' | 'requireActive'>
  readonly placementSettings: Pick<PlacementSettingsService, 'read'>
  readonly rooms: Pick<RoomsService, 'read'>
  /** The configured URL of the panel. */
  readonly masterUrl: () => string | undefined
  readonly tickets: TicketSigner
  readonly tunnels: NodeTunnels
  readonly log: Logger
  readonly now: () => number
}

/** Interval of checks that the panel reaches a node. One that it does not reach is checked with each report. */
const reachabilityCheckIntervalMs = 30_000

export type NodesService = ReturnType<typeof nodesService>

/** Nodes and the connections to them. */
export function nodesService(deps: Deps) {
  const { localNode, repository, reports, availability, tickets, tunnels, log, now } = deps
  const localSocket = localNode?.socketPath
  /** When this panel checked that it reaches a node. */
  const checkedAt = new Map<number, number>()
  /** Nodes whose addresses did not respond to this panel. */
  const unreached = new Set<number>()
  const connections = new NodeConnections({ localSocket, repository, tunnels, tickets, log, now })

  /** The client of a server's node. */
  async function clientFor(nodeId: number): Promise<NodeClient> {
    const client = await connections.find(nodeId)
    if (!client) throw new Refusal('ErrServiceNotAvailable')
    return client
  }

  /** Checks how this panel reaches a node that reports: a node behind a firewall would look healthy. */
  async function checkReachability(nodeId: number): Promise<void> {
    const client = await connections.find(nodeId)
    if (!client) return
    const reachability = await connections.checkReachability(client)
    if (reachability === 'direct') unreached.delete(nodeId)
    else unreached.add(nodeId)
    if (reachability === 'unreachable') checkedAt.delete(nodeId)
    await reports.saveReachability(nodeId, reachability)
  }

  /** Reads something small from a node; undefined when it does not respond, or does not know the endpoint. */
  async function tryRead<E extends EndpointOfNode>(
    nodeId: number,
    endpoint: E,
    input: RequestOf<E>,
  ): Promise<ResponseOf<E> | undefined> {
    try {
      return await (await clientFor(nodeId)).call(endpoint, input, { timeoutMs: limits.nodeUsageMs })
    } catch (error) {
      log.debug({ err: error, nodeId, path: endpoint.path }, 'a node could not be read')
      return undefined
    }
  }

  async function lockForUpdate(transaction: Transaction, nodeId: number): Promise<void> {
    if (nodeId !== localNodeId) await repository.lockForUpdate(transaction, nodeId)
  }

  return {
    ...nodeViews({ ...deps, connections }),

    /** The missing programs of each node; nodes that do not respond are omitted. */
    async missingPrograms(programs: readonly string[]): Promise<{ node: number; missing: string[] }[]> {
      const answers = (await namedNodes({ repository, reports, localNode })).map(async ({ id: node }) => {
        const found = await tryRead(node, panelEndpoints.findMissingPrograms, { body: { programs: [...programs] } })
        return found ? [{ node, missing: found.missing }] : []
      })
      return (await Promise.all(answers)).flat()
    },

    /** The space of backups by server. Throws when the node does not respond. */
    async readBackupUsage(nodeId: number): Promise<BackupUsage[]> {
      const client = await connections.find(nodeId)
      if (!client) throw new Refusal('ErrNotFound')
      return await client.call(panelEndpoints.getBackupUsage, {}, { timeoutMs: limits.nodeUsageMs })
    },

    /** The features of a node. Throws when it does not respond. */
    async readFeatures(nodeId: number): Promise<NodeFeatures> {
      const client = await connections.find(nodeId)
      if (!client) throw new Refusal('ErrNotFound')
      const features = await connections.readFeatures(client)
      if (!features) throw new Refusal('ErrServiceNotAvailable')
      return features
    },

    /** The client of a node for a new server. */
    async requireForCreate(nodeId: number): Promise<NodeClient> {
      const client = await connections.find(nodeId)
      if (client) return client
      if (!localNode && (await repository.all()).length === 0) throw new Refusal('ErrNoNodes')
      throw new Refusal('ErrNodeInvalid')
    },

    clientFor,
    tryRead,

    /** What a node sends about its servers; undefined for a node that is gone, or has not joined. */
    async statesOf(nodeId: number): Promise<NodeStates | undefined> {
      return (await connections.tryFind(nodeId))?.states
    },

    /** Locks the node of a server until the end of the transaction, so that it is not deleted. */
    lockForUpdate,

    /** The same for a server that comes to the node. Throws ErrNodeDraining or ErrNodeInMaintenance. */
    async lockForNewServer(transaction: Transaction, nodeId: number): Promise<void> {
      await lockForUpdate(transaction, nodeId)
      await availability.requireActive(nodeId, transaction)
    },

    /** Disconnects nodes whose address or identity has changed, also without new requests. */
    reconcile: (): Promise<void> => connections.reconcile(),

    /** Remembers that a node reports in a way that this panel does not understand. */
    reportedUnknown: (nodeId: number): Promise<void> => reports.saveUnknown(nodeId),

    /** Stores a node's report. */
    async report(nodeId: number, report: NodeReport): Promise<void> {
      await reports.save(nodeId, report)
      const at = now()
      if (nodeId === localNodeId || at - (checkedAt.get(nodeId) ?? 0) < reachabilityCheckIntervalMs) return
      checkedAt.set(nodeId, at)
      checkReachability(nodeId).catch((error: unknown) =>
        log.warn({ err: error, nodeId }, 'checking whether a node is reachable failed'),
      )
    },

    /** Whether a node should open a tunnel to this panel, which has no other way to it. */
    async needsTunnel(nodeId: number): Promise<boolean> {
      if (nodeId === localNodeId || tunnels.has(nodeId)) return false
      return unreached.has(nodeId) || (await repository.find(nodeId))?.private_host === ''
    },

    /** A node has opened a tunnel to this panel. */
    async addTunnel(nodeId: number, connection: Duplex): Promise<void> {
      const joinedAt = (await repository.find(nodeId))?.joined_at
      if (joinedAt == null) {
        connection.destroy()
        return
      }
      tunnels.add({ nodeId, joinedAt }, connection)
      await checkReachability(nodeId)
    },

    /** Whether the local node, if there is one, responds. */
    async isLocalReady(): Promise<boolean> {
      const client = await connections.find(localNodeId)
      return client === undefined || (await connections.readFeatures(client)) !== undefined
    },

    close: (): Promise<void> => connections.close(),
  }
}
