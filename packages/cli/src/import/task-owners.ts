import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { permissionOfStep, Steps } from '@innkeeper/contract/definitions/operations'
import { hasPermission } from '@innkeeper/contract/node-link/ticket'
import type { ImportedServer } from '@innkeeper/panel/import/import-plan'
import type { ImportOutcome } from '@innkeeper/panel/import/import-service'

export type TaskOwners = Pick<ImportOutcome, 'userIds' | 'taskOwner'>

export interface OwnedTasks {
  readonly definition: Readonly<Record<string, unknown>>
  /** Names of tasks that have no owner, and so do not run. */
  readonly withoutOwner: readonly string[]
}

/**
 * Gives the tasks of a server to users: a task runs with the permissions of its owner. That is the first user of the
 * server who may edit tasks and do all steps of the task, else an administrator.
 */
export function withTaskOwners({ definition = {}, users }: ImportedServer, owners: TaskOwners): OwnedTasks {
  if (!definition.tasks) return { definition, withoutOwner: [] }
  const withoutOwner: string[] = []
  const tasks = Object.entries(definition.tasks).map(([key, task]) => {
    const { name, operations } = task as { readonly name?: unknown; readonly operations?: unknown }
    const needed = [...(Steps.safeParse(operations).data ?? []).map(permissionOfStep), 'editServerData' as const]
    const savedBy = findOwner(needed, users, owners)
    if (savedBy !== undefined) return [key, { ...(task as object), savedBy }]
    withoutOwner.push(String(name ?? key))
    return [key, task]
  })
  return { definition: { ...definition, tasks: Object.fromEntries(tasks) as unknown }, withoutOwner }
}

function findOwner(
  needed: readonly RequiredPermission[],
  users: ImportedServer['users'],
  { userIds, taskOwner }: TaskOwners,
): number | undefined {
  for (const { key, permissions } of users) {
    const id = userIds.get(key)
    const owned = new Set<RequiredPermission>(permissions)
    if (id !== undefined && needed.every((permission) => hasPermission(owned, permission))) return id
  }
  return taskOwner
}
