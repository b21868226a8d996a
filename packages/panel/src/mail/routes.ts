import * as calls from '@innkeeper/contract/mail'
import type { Serve } from '../access/serve.ts'
import type { MailService } from './mail.ts'

export function mailRoutes(serve: Serve, mail: MailService): void {
  serve(calls.listMail, ({ query }) => mail.list(query))
  serve(calls.retryMail, ({ params }) => mail.retry(params.id))
  serve(calls.deleteMail, ({ params }) => mail.remove(params.id))
}
