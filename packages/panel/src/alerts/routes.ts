import * as calls from '@innkeeper/contract/alerts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { AlertChannels } from './channels.ts'
import type { AlertQueue } from './queue.ts'

export function alertRoutes(registerRoute: RegisterRoute, channels: AlertChannels, queue: AlertQueue): void {
  registerRoute(calls.listAlertChannels, () => channels.list())
  registerRoute(calls.createAlertChannel, ({ body, principal, audit }) =>
    channels.create(body, principal.userId, audit),
  )
  registerRoute(calls.putAlertChannel, ({ params, body, audit }) => channels.replace(params.id, body, audit))
  registerRoute(calls.deleteAlertChannel, ({ params, audit }) => channels.remove(params.id, audit))
  registerRoute(calls.testAlertChannel, ({ params, audit }) => channels.test(params.id, audit))
  registerRoute(calls.listAlertDeliveries, ({ query }) => queue.list(query))
}
