import * as calls from '@innkeeper/contract/activity'
import type { Serve } from '../access/serve.ts'
import type { ActivityLog } from './activity.ts'

export function activityRoutes(serve: Serve, activity: ActivityLog): void {
  serve(calls.listActivity, ({ query }) => activity.list(query))
  serve(calls.listServerActivity, ({ server, query }) => activity.list({ ...query, server: server.id }))
}
