import * as calls from '@innkeeper/contract/activity/activity'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { ActivityLog } from './activity.ts'

export function activityRoutes(registerRoute: RegisterRoute, activity: ActivityLog): void {
  registerRoute(calls.listActivity, ({ query }) => activity.list(query))
  registerRoute(calls.listServerActivity, ({ server, query }) => activity.list({ ...query, server: server.id }))
}
