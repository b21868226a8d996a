import { limits } from '@innkeeper/contract/limits'
import { ServerId } from '@innkeeper/contract/names'
import { forPanel } from '@innkeeper/contract/node-servers'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerUsage } from '@innkeeper/contract/servers'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Allowed, Caller } from '../access/caller.ts'
import { asPanel } from '../nodes/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'

interface Needs {
  readonly access: Pick<AccessService, 'serversFor'>
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly log: Logger
}

export type UsageService = ReturnType<typeof usageService>

/** What many servers are doing, for lists: each node is asked once, and a dead one costs only its own servers. */
export function usageService({ access, nodes, log }: Needs) {
  async function askNode(nodeId: number, ids: readonly string[]): Promise<ServerUsage[]> {
    const { method, path, answer } = forPanel.usage
    try {
      const asking = { method, path: `${path}?ids=${ids.join(',')}`, timeoutMs: limits.nodeUsageMs }
      return answer.parse(await nodes.clientFor(nodeId).ask(asPanel, asking))
    } catch (error) {
      log.debug({ err: error, nodeId }, 'a node did not say what its servers are doing')
      return []
    }
  }

  return {
    async of(caller: Caller, text: string): Promise<ServerUsage[]> {
      const ids = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => ServerId.safeParse(id).success)
      if (ids.length > limits.pageSizeMax)
        throw new Refusal('ErrFieldTooLarge', { field: 'ids', max: limits.pageSizeMax })
      const visible = await access.serversFor(caller, ids)
      const byNode = Map.groupBy(visible, (server) => server.nodeId)
      const answers = await Promise.all(
        [...byNode].map(([nodeId, servers]) =>
          askNode(
            nodeId,
            servers.map(({ id }) => id),
          ),
        ),
      )
      const told = new Map(answers.flat().map((usage) => [usage.id, usage]))
      return visible.map((server) => shown(server, told.get(server.id)))
    },
  }
}

/** Only what the caller may see of it. */
function shown(server: Allowed<'viewServer'>, usage: ServerUsage | undefined): ServerUsage {
  return {
    id: server.id,
    ...(usage?.status ? { status: usage.status } : {}),
    ...(usage?.stats && server.rights.has('viewServerStats') ? { stats: usage.stats } : {}),
  }
}
