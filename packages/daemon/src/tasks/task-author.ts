import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { hasPermission, type TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import type { SavedTask } from '@innkeeper/contract/servers/tasks'
import type { TaskStateStore } from './task-state-store.ts'

/** Who saves or runs a task, with their permissions from the ticket. */
export interface TaskAuthor {
  readonly userId: number | undefined
  readonly permissions: TicketPermissions
}

const ownPermissions = ({ permissions }: TaskAuthor): RequiredPermission[] =>
  [...permissions].filter((permission): permission is RequiredPermission => permission !== 'node')

/** The owner of a task that the author saves; none for the panel itself. */
export function getOwner(author: TaskAuthor): Pick<SavedTask, 'savedBy' | 'savedRights'> {
  const { userId, permissions } = author
  if (userId === undefined) return {}
  return { savedBy: userId, ...(!hasPermission(permissions, 'admin') && { savedRights: ownPermissions(author) }) }
}

/** The permissions in a ticket are fresh. They count while no panel responds. */
export async function rememberPermissions(stateStore: TaskStateStore, author: TaskAuthor): Promise<void> {
  const { userId } = author
  if (userId === undefined || stateStore.permissions.has(userId)) return
  stateStore.permissions.set(userId, ownPermissions(author))
  await stateStore.save()
}
