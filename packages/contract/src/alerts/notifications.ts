import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import type { ServerPermission } from '../api/permissions.ts'
import { limits } from '../text/limits.ts'
import { type AlertType, alertTypes } from './alerts.ts'

/** A problem of a server, of a node, or of the panel, whether or not a channel was informed about it. */
export const Notification = z.object({
  id: z.string(),
  type: z.enum(alertTypes),
  /** When it began, ISO 8601. */
  at: z.string(),
  /** Missing while it lasts. */
  endedAt: z.optional(z.string()),
  server: z.optional(z.object({ id: z.string(), name: z.string() })),
  node: z.optional(z.object({ id: z.number(), name: z.string() })),
})
export type Notification = z.infer<typeof Notification>

/** What a user needs on a server to be notified about it; `viewServer` where nothing is said. */
export const permissionOfAlert: Partial<Readonly<Record<AlertType, ServerPermission>>> = {
  taskFailed: 'editServerData',
  backupFailed: 'viewServerBackups',
}

/**
 * The latest problems that the user may see, newest first: of servers, with `nodes.view` of nodes, for administrators also
 * of the panel. Kept are those that last, or ended in the last 7 days.
 */
export const listNotifications = endpoint('GET', '/api/notifications', {
  access: 'session',
  query: z.object({
    limit: z._default(
      z.coerce.number().check(z.int(), z.minimum(1), z.maximum(limits.pageSizeMax)),
      limits.pageSizeMax,
    ),
  }),
  response: z.array(Notification),
})
