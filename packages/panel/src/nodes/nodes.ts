import { limits } from '@innkeeper/contract/limits'
import type { BackupUsage } from '@innkeeper/contract/node-backups'
import type { NodeReport } from '@innkeeper/contract/node-to-panel'
import { localNodeId, type NodeFeatures } from '@innkeeper/contract/nodes'
import { panelEndpoints } from '@innkeeper/contract/panel-to-node'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { Transaction } from '../database/schema.ts'
import type { NodeClient } from './client/node-client.ts'
import type { Tickets } from './client/tickets.ts'
import { namedNodes } from './named-nodes.ts'
import { NodeConnections } from './node-connections.ts'
import type { NodeRepository } from './node-repository.ts'
import { type LocalNode, nodeViews } from './node-views.ts'
import type { NodeReports } from './reports.ts'

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
  const localSocket = localNode?.socketPath
  const connections = new NodeConnections({ localSocket, repository, tickets, log, now })

  /** Checks whether this panel reaches a node that reports: a node behind a firewall would look healthy. */
  async function checkReachability(nodeId: number): Promise<void> {
    const client = await connections.find(nodeId)
    if (client) await reports.saveReachability(nodeId, await connections.isReachable(client))
  }

  async function askMissingPrograms(nodeId: number, programs: readonly string[]): Promise<string[] | undefined> {
    try {
      const client = await connections.find(nodeId)
      const body = { programs: [...programs] }
      return (await client?.call(panelEndpoints.findMissingPrograms, { body }, { timeoutMs: limits.nodeUsageMs }))
        ?.missing
    } catch (error) {
      log.debug({ err: error, nodeId }, 'the programs of a node could not be read')
      return undefined
    }
  }

  return {
    ...nodeViews({ localNode, repository, reports, connections, masterUrl }),

    /** The missing programs of each node; nodes that do not respond are omitted. */
    async missingPrograms(programs: readonly string[]): Promise<{ node: number; missing: string[] }[]> {
      const answers = (await namedNodes({ repository, reports, localNode })).map(async ({ id: node }) => {
        const missing = await askMissingPrograms(node, programs)
        return missing ? [{ node, missing }] : []
      })
      return (await Promise.all(answers)).flat()
    },

    /** The space of backups by server. Throws when the node does not respond. */
    async backupUsageOf(nodeId: number): Promise<BackupUsage[]> {
      const client = await connections.find(nodeId)
      if (!client) throw new Refusal('ErrNotFound')
      return await client.call(panelEndpoints.getBackupUsage, {}, { timeoutMs: limits.nodeUsageMs })
    },

    /** The features of a node. Throws when it does not respond. */
    async featuresOf(nodeId: number): Promise<NodeFeatures> {
      const client = await connections.find(nodeId)
      if (!client) throw new Refusal('ErrNotFound')
      const able = await connections.featuresOf(client)
      if (!able) throw new Refusal('ErrServiceNotAvailable')
      return able
    },

    /** The client of a node for a new server. */
    async requireForCreate(nodeId: number): Promise<NodeClient> {
      const client = await connections.find(nodeId)
      if (client) return client
      if (!localNode && (await repository.all()).length === 0) throw new Refusal('ErrNoNodes')
      throw new Refusal('ErrNodeInvalid')
    },

    /** The client of a server's node. */
    async clientFor(nodeId: number): Promise<NodeClient> {
      const client = await connections.find(nodeId)
      if (!client) throw new Refusal('ErrServiceNotAvailable')
      return client
    },

    /** Locks the node of a new server until the end of the transaction, so that it is not deleted. */
    async lockForUpdate(transaction: Transaction, nodeId: number): Promise<void> {
      if (nodeId !== localNodeId) await repository.lockForUpdate(transaction, nodeId)
    },

    /** Disconnects nodes whose address or identity has changed, also without new requests. */
    reconcile: (): Promise<void> => connections.reconcile(),

    /** Remembers that a node reports in a way that this panel does not understand. */
    async reportedUnknown(nodeId: number): Promise<void> {
      await reports.saveUnknown(nodeId)
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
      const client = await connections.find(localNodeId)
      return client === undefined || (await connections.featuresOf(client)) !== undefined
    },

    close: (): Promise<void> => connections.close(),
  }
}
