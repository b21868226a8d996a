import { trimEnd } from '@innkeeper/contract/text/trim-end'
import type { Provider } from './provider.ts'
import { getMessage, sendRequest } from './provider-request.ts'

/** Sends mails through Mailgun. */
export const mailgun =
  (base: string): Provider =>
  async (settings, { id, from, to, subject, text, html }, signal) => {
    const url = `${trimEnd(base, '/')}/v3/${encodeURIComponent(settings['panel.email.domain'])}/messages`
    const body = new URLSearchParams({
      from: `${JSON.stringify(from.name)} <${from.address}>`,
      to,
      subject,
      text,
      html,
      'h:Message-Id': `<${id}@${from.address.split('@')[1]}>`,
      'h:Auto-Submitted': 'auto-generated',
    })
    return getMessage(await sendRequest({ url, user: 'api', password: settings['panel.email.key'], body }, signal))
  }
