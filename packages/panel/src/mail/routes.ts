import * as calls from '@innkeeper/contract/mail'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { MailService } from './mail.ts'

export function mailRoutes(registerRoute: RegisterRoute, mail: MailService): void {
  registerRoute(calls.listMail, ({ query }) => mail.list(query))
  registerRoute(calls.retryMail, ({ params, audit }) => mail.retry(params.id, audit))
  registerRoute(calls.deleteMail, ({ params, audit }) => mail.remove(params.id, audit))
}
