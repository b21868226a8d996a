import { toBase64 } from '../text/base64.ts'
import { type ChannelType, ntfyTopic, type WebhookPayload } from './alerts.ts'
import { DeliveryError } from './delivery-error.ts'
import type { AlertMessage, RenderedAlert } from './messages.ts'
import { signatureHeaders } from './signature.ts'

/** A request that delivers a message. */
export interface AlertRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Where and how messages of a channel are sent. */
export interface AlertTarget {
  readonly type: string
  readonly url: URL
  readonly secret: string
}

type HttpChannelType = Exclude<ChannelType, 'mail'>

/** What a request is made of; `json` are the headers of a JSON body. */
interface Parts extends Pick<AlertTarget, 'url' | 'secret'> {
  readonly json: AlertRequest['headers']
  readonly message: AlertMessage
  readonly rendered: RenderedAlert
  readonly now: number
}

const createRequest: Readonly<Record<HttpChannelType, (parts: Parts) => AlertRequest | Promise<AlertRequest>>> = {
  async webhook({ url, secret, json, message, rendered, now }) {
    const body = JSON.stringify(getPayload(message, rendered))
    const signed = { id: message.id, timestamp: Math.floor(now / 1000), body }
    return { url, headers: { ...json, ...(await signatureHeaders(secret, signed)) }, body }
  },
  // Names of users and servers must not mention anyone.
  discord({ url, json, rendered }) {
    const content = [`**${rendered.title}**`, ...getLines(rendered)].join('\n')
    return { url, headers: json, body: JSON.stringify({ content, allowed_mentions: { parse: [] } }) }
  },
  slack({ url, json, rendered }) {
    const text = [`*${escapeSlack(rendered.title)}*`, ...getLines(rendered).map(escapeSlack)].join('\n')
    return { url, headers: json, body: JSON.stringify({ text }) }
  },
  ntfy({ url, json, rendered: { title, detail, url: click } }) {
    const { base = '/', topic = '' } = ntfyTopic.exec(url.pathname)?.groups ?? {}
    const body = JSON.stringify({ topic, title, message: detail || title, click })
    return { url: new URL(base, url), headers: json, body }
  },
}

/** The channels that nodes send to. Email is not among them: it would need the credentials of the mail service. */
export const nodeSentChannelTypes = Object.keys(createRequest) as readonly HttpChannelType[]

/**
 * The request that delivers a message to a channel that is not `mail`.
 * @throws DeliveryError for a type that this version does not know
 */
export async function requestFor(
  { type, url: target, secret }: AlertTarget,
  message: AlertMessage,
  rendered: RenderedAlert,
  now: number,
): Promise<AlertRequest> {
  const known = nodeSentChannelTypes.find((one) => one === type)
  if (!known) throw new DeliveryError(`Unknown channel type: ${type}`, { isFinal: true })
  const { url, headers } = withoutCredentials(target)
  const json = { ...headers, 'content-type': 'application/json' }
  return await createRequest[known]({ url, secret, json, message, rendered, now })
}

const getLines = ({ detail, url = '' }: RenderedAlert): string[] => [detail, url].filter((line) => line !== '')

function getPayload(
  { id, type, isResolved, content }: AlertMessage,
  { title, detail, url }: RenderedAlert,
): WebhookPayload {
  return {
    id,
    type,
    status: isResolved ? 'resolved' : 'firing',
    timestamp: new Date(content.at).toISOString(),
    title,
    ...(detail !== '' && { detail }),
    ...(content.server && { server: content.server }),
    ...(content.node && { node: content.node }),
    ...(content.order && { order: content.order }),
    ...(url !== undefined && { url }),
  }
}

/** Slack's control characters, as its documentation escapes them. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Credentials that are no valid percent-encoding are used as they are. */
export function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function withoutCredentials(from: URL): { url: URL; headers: Record<string, string> } {
  const { username, password } = from
  const url = new URL(from)
  url.username = ''
  url.password = ''
  if (username === '' && password === '') return { url, headers: {} }
  const pair = `${decodeOrKeep(username)}:${decodeOrKeep(password)}`
  return { url, headers: { authorization: `Basic ${toBase64(pair)}` } }
}
