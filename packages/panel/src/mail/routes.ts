import * as calls from '@innkeeper/contract/mail'
import type { Serve } from '../access/serve.ts'
import type { MailService } from './mail.ts'

export function mailRoutes(serve: Serve, mail: MailService): void {
  serve(calls.listMail, ({ query }) => mail.list(query))
  serve(calls.retryMail, ({ params, acting }) => mail.retry(params.id, acting))
  serve(calls.deleteMail, ({ params, acting }) => mail.remove(params.id, acting))
}
