import * as calls from '@innkeeper/contract/mail'
import type { RegisterRoute } from '../access/route-context.ts'
import type { MailService } from './mail.ts'

export function mailRoutes(serve: RegisterRoute, mail: MailService): void {
  serve(calls.listMail, ({ query }) => mail.list(query))
  serve(calls.retryMail, ({ params, audit }) => mail.retry(params.id, audit))
  serve(calls.deleteMail, ({ params, audit }) => mail.remove(params.id, audit))
}
