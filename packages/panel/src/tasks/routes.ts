import { taskRights } from '@innkeeper/contract/node-panel'
import type { Serve } from '../access/serve.ts'
import type { TaskRightsService } from './task-rights.ts'

export function taskRoutes(serve: Serve, tasks: TaskRightsService): void {
  serve(taskRights, async ({ nodeId, body }) => ({ rights: await tasks.rights(nodeId, body.people) }))
}
