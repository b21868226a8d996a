import { getTaskPermissions } from '@innkeeper/contract/node-to-panel'
import type { Serve } from '../access/serve.ts'
import type { TaskRightsService } from './task-rights.ts'

export function taskRoutes(serve: Serve, tasks: TaskRightsService): void {
  serve(getTaskPermissions, async ({ nodeId, body }) => ({ rights: await tasks.rights(nodeId, body.people) }))
}
