import { Agent, request } from 'undici'
import type { AlertChannelRow } from '../database/schema.ts'
import { DeliveryError, redact } from '../mail/delivery-error.ts'
import type { DeliveryResult, SendMail } from '../mail/mailer.ts'
import { addressRules } from '../network/public-address.ts'
import type { SettingsService } from '../settings/settings.ts'
import { type AlertMessage, renderAlert } from './messages.ts'
import { type AlertRequest, requestFor } from './requests.ts'

const maxResponseBytes = 16 * 1024

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
  const rules = addressRules(notPublic, allow)

  async function post({ url, headers, body }: AlertRequest, signal: AbortSignal): Promise<string> {
    if (!rules.mayBeAllowed(url)) throw notPublic(url.hostname)
    const agent = new Agent({ connect: { lookup: rules.lookupFor(url) } })
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'user-agent': `Innkeeper/${version}`, ...headers },
        body,
        signal,
      })
      const text = await beginningOf(answer.body)
      const words = `The service answered ${answer.statusCode}: ${text}`
      if (answer.statusCode >= 200 && answer.statusCode < 300) return words
      throw new DeliveryError(words, { isFinal: answer.statusCode === 410 })
    } catch (error) {
      if (error instanceof DeliveryError) throw error
      if (signal.aborted) throw new DeliveryError('The service took too long.', { cause: error })
      throw new DeliveryError(error instanceof Error ? error.message || error.name : String(error), { cause: error })
    } finally {
      await agent.destroy()
    }
  }

  return {
    mayHave: (url) => rules.mayBeAllowed(url),

    async send(channel, message, signal) {
      const { type, target, secret, language } = channel
      const rendered = renderAlert(message, language, await settings.masterUrl())
      if (type === 'mail') {
        const { title, detail } = rendered
        return sendMail({ id: message.id, kind: 'alert', to: target, facts: { title, detail }, language }, signal)
      }
      const redacted = (words: string) => redact(words, [secret, target])
      try {
        const answer = await post(requestFor({ type, url: new URL(target), secret }, message, rendered, now()), signal)
        return { delivered: true, answer: redacted(answer), isFinal: true }
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        return { delivered: false, answer: redacted(error.message), isFinal: error.isFinal }
      }
    },
  }
}

const notPublic = (host: string) =>
  new DeliveryError(
    `${host} is not on the public internet. An administrator can allow it with INNKEEPER_DOWNLOAD_ALLOW`,
    { isFinal: true },
  )

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    parts.push(part)
    if (bytes > maxResponseBytes) break
  }
  return Buffer.concat(parts).subarray(0, maxResponseBytes).toString('utf8')
}
