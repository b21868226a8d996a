import { maskSecrets, shorten } from '@innkeeper/contract/console-commands'
import type { Endpoint } from '@innkeeper/contract/endpoint'
import { urlOf } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { getData, sendCommand } from '@innkeeper/contract/node-servers'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { cancelTask, deleteTask, listTasks, runTask } from '@innkeeper/contract/tasks'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { asPanelOn } from '../nodes/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { NodeCallAt } from './node-calls.ts'

type NodeCall = typeof getData | typeof listTasks

interface Deps {
  readonly access: Pick<AccessService, 'serverFor'>
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
  async function ask(caller: Caller, id: string | undefined, right: RequiredPermission, call: NodeCall) {
    try {
      const server = await access.serverFor(caller, id)
      if (!server?.rights.has(right)) return undefined
      const client = await nodes.clientFor(server.nodeId)
      const path = urlOf(call, { params: { id: server.id } })
      return await client.ask(asPanelOn(server.id), { method: 'GET', path, timeoutMs: limits.nodeUsageMs })
    } catch (error) {
      log.debug({ err: error, server: id }, 'a node did not say what an entry of activity is about')
      return undefined
    }
  }

  return {
    /** The name of the task that a call runs, cancels or deletes. To be asked before it is deleted. */
    async taskName(caller: Caller, { call, params }: NodeCallAt): Promise<string | undefined> {
      if (!onOneTask.includes(call)) return undefined
      const { data } = listTasks.response.safeParse(await ask(caller, params.id, call.access.onServer, listTasks))
      const { task = '' } = params
      return data && Object.hasOwn(data.tasks, task) ? data.tasks[task]?.name : undefined
    },

    /** A console command, shortened and without secrets; undefined while the server's secrets are not known. */
    async command(caller: Caller, server: string | undefined, command: string): Promise<string | undefined> {
      const { data } = getData.response.safeParse(await ask(caller, server, sendCommand.access.onServer, getData))
      return data && shorten(maskSecrets(command, data.data), commandLength)
    },
  }
}
