import { listNotifications } from '@innkeeper/contract/alerts/notifications'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { NotificationsService } from './notifications.ts'

interface Deps {
  readonly notifications: NotificationsService
}

export function notificationRoutes(registerRoute: RegisterRoute, { notifications }: Deps): void {
  registerRoute(listNotifications, ({ query, principal, client }) => notifications.list(principal, query.limit, client))
}
