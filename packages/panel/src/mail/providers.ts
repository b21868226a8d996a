import { DeliveryError } from '@innkeeper/contract/alerts/delivery-error'
import type { SettingValues } from '@innkeeper/contract/settings/settings'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { request } from 'undici'
import { z } from 'zod'
import type { Provider } from './provider.ts'
import { smtp } from './smtp.ts'

/** Base URLs of the mail services. */
export interface ProviderUrls {
  readonly mailgun: string
  readonly mailjet: string
}

export const defaultProviderUrls: ProviderUrls = {
  mailgun: 'https://api.mailgun.net',
  mailjet: 'https://api.mailjet.com',
}

/** The configured provider; `undefined` when there is none. */
export function findProvider(settings: SettingValues, services: ProviderUrls): Provider | undefined {
  switch (settings['panel.email.provider']) {
    case 'none':
      return undefined
    case 'smtp':
      return smtp
    case 'mailgun':
      return mailgun(services.mailgun)
    case 'mailjet':
      return mailjet(services.mailjet)
  }
}

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

const Answer = z.looseObject({
  Messages: z.array(
    z.looseObject({ Status: z.string(), Errors: z.array(z.looseObject({ ErrorMessage: z.string() })).optional() }),
  ),
})

/** Sends mails through Mailjet. */
export const mailjet =
  (base: string): Provider =>
  async (settings, { id, from, to, subject, text, html }, signal) => {
    const message = {
      From: { Email: from.address, Name: from.name },
      To: [{ Email: to }],
      Subject: subject,
      TextPart: text,
      HTMLPart: html,
      CustomID: id,
      Headers: { 'Auto-Submitted': 'auto-generated' },
    }
    const [user, password] = [settings['panel.email.domain'], settings['panel.email.key']]
    const response = await sendRequest(
      { url: `${trimEnd(base, '/')}/v3.1/send`, user, password, body: { Messages: [message] } },
      signal,
    )
    // Mailjet reports a rejected message with status 200.
    const [first] = Answer.safeParse(response).data?.Messages ?? []
    if (first?.Status === 'success') return `Status: ${first.Status}`
    throw new DeliveryError(first?.Errors?.map((error) => error.ErrorMessage).join('; ') || getMessage(response), {
      isFinal: first !== undefined,
    })
  }

interface ProviderRequest {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly body: URLSearchParams | Readonly<Record<string, unknown>>
}

const maxResponseBytes = 64 * 1024

/** Sends a mail to a service with HTTP Basic authentication, and returns the response as JSON or text. */
async function sendRequest({ url, user, password, body }: ProviderRequest, signal: AbortSignal): Promise<unknown> {
  const isForm = body instanceof URLSearchParams
  try {
    const response = await request(url, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        accept: 'application/json',
      },
      body: isForm ? body.toString() : JSON.stringify(body),
      signal,
    })
    const text = await readAll(response.body)
    const { statusCode: status } = response
    if (status >= 200 && status < 300) return read(text)
    const isOurs = [400, 413, 422].includes(status)
    throw new DeliveryError(`The service answered ${status}: ${getMessage(read(text))}`, { isFinal: isOurs })
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    if (signal.aborted) throw new DeliveryError('The service took too long.', { cause: error })
    throw new DeliveryError(error instanceof Error ? error.message || error.name : String(error), { cause: error })
  }
}

/** The message in the response of a service, for display. */
function getMessage(body: unknown): string {
  if (typeof body === 'string') return body
  const { message, ErrorMessage } = (body ?? {}) as { message?: unknown; ErrorMessage?: unknown }
  if (typeof message === 'string') return message
  if (typeof ErrorMessage === 'string') return ErrorMessage
  return JSON.stringify(body) ?? ''
}

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy or a failing service may respond with anything: the text is displayed.
    return text
  }
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxResponseBytes) break
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
