import * as calls from '@innkeeper/contract/alerts/mail'
import { sendTestMail } from '@innkeeper/contract/settings/settings'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { MailService } from './mail.ts'
import type { QueuedMails } from './queued-mails.ts'

interface Deps {
  readonly mail: Pick<MailService, 'test'>
  readonly queuedMails: QueuedMails
}

export function mailRoutes(registerRoute: RegisterRoute, { mail, queuedMails }: Deps): void {
  registerRoute(calls.listMail, ({ query }) => queuedMails.list(query))
  registerRoute(calls.retryMail, ({ params, audit }) => queuedMails.retry(params.id, audit))
  registerRoute(sendTestMail, ({ principal, body }) => mail.test(body.to ?? principal.email, principal.userId))
  registerRoute(calls.deleteMail, ({ params, audit }) => queuedMails.remove(params.id, audit))
}
