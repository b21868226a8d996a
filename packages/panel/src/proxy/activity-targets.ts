import { maskSecrets, shorten } from '@innkeeper/contract/console-commands'
import type { Endpoint } from '@innkeeper/contract/endpoint'
import { urlOf } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { getData, sendCommand } from '@innkeeper/contract/node-servers'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { cancelTask, deleteTask, listTasks, runTask } from '@innkeeper/contract/tasks'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { panelIdentityOn } from '../nodes/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { MatchedCall } from './proxied-calls.ts'

type NodeCall = typeof getData | typeof listTasks

interface Deps {
  readonly access: Pick<AccessService, 'findVisibleServer'>
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly log: Logger
}

/** The longest command in an entry of activity. */
const commandLength = 255
const onOneTask: readonly Endpoint[] = [runTask, cancelTask, deleteTask]

export type ActivityTargets = ReturnType<typeof activityTargets>

/**
 * Names for the record of activity that only a server's node knows. Undefined where they cannot be found out, and for
 * callers who may not do what they ask for: those do not make the panel call a node.
 */
export function activityTargets({ access, nodes, log }: Deps) {
  async function request(principal: Principal, id: string | undefined, right: RequiredPermission, call: NodeCall) {
    try {
      const server = await access.findVisibleServer(principal, id)
      if (!server?.rights.has(right)) return undefined
      const client = await nodes.clientFor(server.nodeId)
      const path = urlOf(call, { params: { id: server.id } })
      return await client.request(panelIdentityOn(server.id), { method: 'GET', path, timeoutMs: limits.nodeUsageMs })
    } catch (error) {
      log.debug({ err: error, server: id }, 'a node did not say what an entry of activity is about')
      return undefined
    }
  }

  return {
    /** The name of the task that a call runs, cancels or deletes. To be asked before it is deleted. */
    async taskName(principal: Principal, { call, params }: MatchedCall): Promise<string | undefined> {
      if (!onOneTask.includes(call)) return undefined
      const { data } = listTasks.response.safeParse(
        await request(principal, params.id, call.access.onServer, listTasks),
      )
      const { task = '' } = params
      return data && Object.hasOwn(data.tasks, task) ? data.tasks[task]?.name : undefined
    },

    /** A console command, shortened and without secrets; undefined while the server's secrets are not known. */
    async command(principal: Principal, server: string | undefined, command: string): Promise<string | undefined> {
      const { data } = getData.response.safeParse(
        await request(principal, server, sendCommand.access.onServer, getData),
      )
      return data && shorten(maskSecrets(command, data.data), commandLength)
    },
  }
}
