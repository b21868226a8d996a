import * as calls from '@innkeeper/contract/activity'
import type { RegisterRoute } from '../access/route-context.ts'
import type { ActivityLog } from './activity.ts'

export function activityRoutes(serve: RegisterRoute, activity: ActivityLog): void {
  serve(calls.listActivity, ({ query }) => activity.list(query))
  serve(calls.listServerActivity, ({ server, query }) => activity.list({ ...query, server: server.id }))
}
