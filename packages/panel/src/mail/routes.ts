import * as calls from '@innkeeper/contract/mail'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { QueuedMails } from './queued-mails.ts'

export function mailRoutes(registerRoute: RegisterRoute, mails: QueuedMails): void {
  registerRoute(calls.listMail, ({ query }) => mails.list(query))
  registerRoute(calls.retryMail, ({ params, audit }) => mails.retry(params.id, audit))
  registerRoute(calls.deleteMail, ({ params, audit }) => mails.remove(params.id, audit))
}
