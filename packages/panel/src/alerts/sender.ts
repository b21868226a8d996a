import { deliverAlert, notPublicAddress, type PostRequest, readAlertResponse } from '@innkeeper/contract/alerts/deliver'
import type { DeliveryResult } from '@innkeeper/contract/alerts/delivery-error'
import { type AlertMessage, renderAlert } from '@innkeeper/contract/alerts/messages'
import { Agent, request } from 'undici'
import type { AlertChannelRow } from '../database/schema.ts'
import type { SendMail } from '../mail/mailer.ts'
import { textsIn } from '../mail/texts.ts'
import { addressRules } from '../network/public-address.ts'
import type { SettingsService } from '../settings/settings.ts'

interface Deps {
  readonly settings: Pick<SettingsService, 'masterUrl'>
  readonly sendMail: SendMail
  /** Private `host:port` that channels may have. */
  readonly allow: readonly string[]
  readonly version: string
  readonly now: () => number
}

/** Sends messages to channels. */
export interface AlertSender {
  /** Whether a channel may have this URL. A name is checked on connecting. */
  mayHave(url: URL): boolean
  send(channel: AlertChannelRow, message: AlertMessage, signal: AbortSignal): Promise<DeliveryResult>
}

export function alertSender({ settings, sendMail, allow, version, now }: Deps): AlertSender {
  const rules = addressRules(notPublicAddress, allow)

  const post: PostRequest = async ({ url, headers, body }, signal) => {
    if (!rules.mayBeAllowed(url)) throw notPublicAddress(url.hostname)
    const agent = new Agent({ connect: { lookup: rules.lookupFor(url) } })
    try {
      const response = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'user-agent': `Innkeeper/${version}`, ...headers },
        body,
        signal,
      })
      return { status: response.statusCode, text: await readAlertResponse(response.body) }
    } finally {
      await agent.destroy()
    }
  }

  return {
    mayHave: (url) => rules.mayBeAllowed(url),

    async send(channel, message, signal) {
      const { type, target, secret, language } = channel
      const rendered = renderAlert(message, textsIn(language).alerts, await settings.masterUrl())
      if (type === 'mail') {
        const { title, detail } = rendered
        return sendMail({ id: message.id, kind: 'alert', to: target, facts: { title, detail }, language }, signal)
      }
      const to = { type, url: new URL(target), secret }
      return await deliverAlert(post, { target: to, message, rendered, now: now() }, signal)
    },
  }
}
