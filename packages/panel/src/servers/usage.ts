import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import { getStats } from '@innkeeper/contract/servers/node-servers'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { ServerId } from '@innkeeper/contract/text/server-id'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { AuthorizedServer, Principal, Server } from '../access/principal.ts'
import type { NodeClient } from '../nodes/client/node-client.ts'
import type { NodeStates } from '../nodes/client/node-states.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { NodeReports } from '../nodes/reports.ts'

interface Deps {
  readonly access: Pick<AccessService, 'visibleServers'>
  readonly nodes: Pick<NodesService, 'clientFor' | 'statesOf'>
  readonly reports: Pick<NodeReports, 'readLastUsage'>
  readonly log: Logger
  /** Timeout of requests to the local node for lists. */
  readonly nodeUsageMs?: number | undefined
  /** Timeout of requests about one server. */
  readonly nodeCallMs?: number | undefined
}

type ServerOnNode = Pick<Server, 'id' | 'nodeId' | 'suspension'>

export type UsageService = ReturnType<typeof usageService>

/**
 * Status and usage of servers, from the states that their nodes send. Without current states, lists have those of the last
 * report, because they do not wait for remote nodes, and a request for one server is sent to its node.
 */
export function usageService({
  access,
  nodes,
  reports,
  log,
  nodeUsageMs = limits.nodeUsageMs,
  nodeCallMs: timeoutMs = limits.nodeCallMs,
}: Deps) {
  /** The current usage. Throws ErrServerNotFound when the node does not have the server. */
  async function current(server: ServerOnNode): Promise<ServerUsage> {
    const client = await nodes.clientFor(server.nodeId)
    const known = client.states.find(server.id)
    const [usage] = known ? [known.usage] : await requestUsage(client, [server.id], timeoutMs)
    if (!usage) throw new Refusal('ErrServerNotFound')
    return usage
  }

  /** The local node may not have reported yet, or not a new server. */
  async function requestLocal(ids: readonly string[]): Promise<ServerUsage[]> {
    if (ids.length === 0) return []
    try {
      return await requestUsage(await nodes.clientFor(localNodeId), ids, nodeUsageMs)
    } catch (error) {
      log.debug({ err: error }, 'the usage of servers could not be read from the local node')
      return []
    }
  }

  /** For lists. */
  async function readLatest(servers: readonly ServerOnNode[]): Promise<ReadonlyMap<string, ServerUsage>> {
    const states = new Map<number, NodeStates | undefined>()
    for (const nodeId of new Set(servers.map((server) => server.nodeId)))
      states.set(nodeId, await nodes.statesOf(nodeId))
    const latest = new Map<string, ServerUsage>()
    const others: ServerOnNode[] = []
    for (const server of servers) {
      const known = states.get(server.nodeId)?.find(server.id)
      if (!known) others.push(server)
      else if (known.usage) latest.set(server.id, known.usage)
    }
    const reported = await reports.readLastUsage(others)
    const unknown = others.filter(({ id, nodeId }) => nodeId === localNodeId && isUnknown(reported.get(id)))
    const local = await requestLocal(unknown.slice(0, limits.pageSizeMax).map(({ id }) => id))
    for (const usage of [...reported.values(), ...local]) latest.set(usage.id, usage)
    for (const { id, suspension } of servers)
      if (suspension) latest.set(id, { ...latest.get(id), id, isSuspended: true })
    return latest
  }

  /** Usage of the servers that the principal sees; other IDs are omitted. */
  async function ofServers(principal: Principal, ids: readonly string[]): Promise<ServerUsage[]> {
    const visible = await access.visibleServers(principal, ids)
    const latest = await readLatest(visible)
    return visible.map((server) => toView(server, latest.get(server.id)))
  }

  return {
    ofServers,

    /** The current status of a server, from its node. */
    async readStatus(server: AuthorizedServer<'viewServer'>): Promise<ServerStatus> {
      const { status } = await current(server)
      if (!status) throw new Refusal('ErrServiceNotAvailable')
      return status
    },

    /** The current statistics of a server, from its node. Throws ErrServerOffline when it does not run. */
    async readStats(server: AuthorizedServer<'viewServerStats'>): Promise<ServerStats> {
      const { status, stats } = await current(server)
      if (status?.running && stats) return stats
      // The node knows why there are none.
      const client = await nodes.clientFor(server.nodeId)
      return await client.call(getStats, { params: { id: server.id } }, { timeoutMs })
    },

    /** Status by server ID, without usage. Everyone who sees a server may see its status. */
    async readStatuses(
      servers: readonly ServerOnNode[],
    ): Promise<ReadonlyMap<string, Pick<ServerUsage, 'status' | 'isOld' | 'isSuspended'>>> {
      return await readLatest(servers)
    },

    async of(principal: Principal, text: string): Promise<ServerUsage[]> {
      const ids = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => ServerId.safeParse(id).success)
      if (ids.length > limits.pageSizeMax)
        throw new Refusal('ErrFieldTooLarge', { field: 'ids', max: limits.pageSizeMax })
      return await ofServers(principal, ids)
    },
  }
}

async function requestUsage(client: NodeClient, ids: readonly string[], timeoutMs: number): Promise<ServerUsage[]> {
  return await client.call(panelEndpoints.getUsage, { query: { ids: ids.join(',') } }, { timeoutMs })
}

const isUnknown = (usage: ServerUsage | undefined): boolean => usage === undefined || usage.isOld === true

/** Removes what the principal may not see. */
function toView(server: AuthorizedServer<'viewServer'>, usage: ServerUsage | undefined): ServerUsage {
  const { status, stats, memoryMax, cpuMax, disk, players, ...when } = usage ?? {}
  const maySeeStats = server.permissions.has('viewServerStats')
  return {
    ...when,
    id: server.id,
    ...(status ? { status } : {}),
    ...(stats && maySeeStats ? { stats } : {}),
    ...(memoryMax !== undefined && maySeeStats ? { memoryMax } : {}),
    ...(cpuMax !== undefined && maySeeStats ? { cpuMax } : {}),
    ...(disk && maySeeStats ? { disk } : {}),
    ...(players && server.permissions.has('viewServerPlayers') ? { players } : {}),
  }
}
