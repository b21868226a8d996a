import { getTaskPermissions } from '@innkeeper/contract/node-link/node-to-panel'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { TaskPermissionsService } from './task-permissions.ts'

export function taskRoutes(registerRoute: RegisterRoute, tasks: TaskPermissionsService): void {
  registerRoute(getTaskPermissions, async ({ nodeId, body }) => ({
    rights: await tasks.readPermissions(nodeId, body.people),
  }))
}
