import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { maskSecrets, shorten } from '@innkeeper/contract/definitions/console-commands'
import { getData } from '@innkeeper/contract/definitions/server-definition'
import { cancelTask, deleteTask, listTasks, runTask } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { MatchedCall } from './proxied-calls.ts'

type NodeCall = typeof getData | typeof listTasks

interface Deps {
  readonly access: Pick<AccessService, 'findVisibleServer'>
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly log: Logger
}

/** Maximum length of a text in an audit log entry. */
const commandLength = 255
const onOneTask: readonly Endpoint[] = [runTask, cancelTask, deleteTask]

export type ActivityTargets = ReturnType<typeof activityTargets>

/**
 * Subjects for the audit log that only the node of a server knows. Undefined when they cannot be read, and for
 * unauthorized principals, who must not cause requests to the node.
 */
export function activityTargets({ access, nodes, log }: Deps) {
  async function request(principal: Principal, id: string | undefined, permission: RequiredPermission, call: NodeCall) {
    try {
      const server = await access.findVisibleServer(principal, id)
      if (!server?.permissions.has(permission)) return undefined
      const client = await nodes.clientFor(server.nodeId)
      return await client.call(call, { params: { id: server.id } }, { timeoutMs: limits.nodeUsageMs })
    } catch (error) {
      log.debug({ err: error, server: id }, 'the subject of an audit log entry could not be read from a node')
      return undefined
    }
  }

  return {
    /** The name of the task that a request runs, cancels or deletes. Call it before the task is deleted. */
    async taskName(principal: Principal, { call, params }: MatchedCall): Promise<string | undefined> {
      if (!onOneTask.includes(call)) return undefined
      const { data } = listTasks.response.safeParse(
        await request(principal, params.id, call.access.onServer, listTasks),
      )
      const { task = '' } = params
      return data && Object.hasOwn(data.tasks, task) ? data.tasks[task]?.name : undefined
    },

    /**
     * What the console of a server gets with a permission, truncated and with secrets masked; undefined while the
     * server's secrets are unknown.
     */
    async consoleText(
      principal: Principal,
      server: string | undefined,
      { permission, text }: { readonly permission: RequiredPermission; readonly text: string },
    ): Promise<string | undefined> {
      const { data } = getData.response.safeParse(await request(principal, server, permission, getData))
      return data && shorten(maskSecrets(text, data.data), commandLength)
    },
  }
}
