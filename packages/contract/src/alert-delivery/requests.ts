import { ntfyTopic, type WebhookPayload } from '../alerts.ts'
import { toBase64 } from '../base64.ts'
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

/** The request that delivers a message to a channel that is not `mail`. */
export async function requestFor(
  target: AlertTarget,
  message: AlertMessage,
  rendered: RenderedAlert,
  now: number,
): Promise<AlertRequest> {
  const { url, headers } = withoutCredentials(target.url)
  const json = { ...headers, 'content-type': 'application/json' }
  if (target.type === 'webhook') {
    const body = JSON.stringify(payloadOf(message, rendered))
    const signed = { id: message.id, timestamp: Math.floor(now / 1000), body }
    return { url, headers: { ...json, ...(await signatureHeaders(target.secret, signed)) }, body }
  }
  const { title, detail } = rendered
  if (target.type === 'ntfy') {
    const { base = '/', topic = '' } = ntfyTopic.exec(url.pathname)?.groups ?? {}
    const text = { topic, title, message: detail || title, ...(rendered.url !== undefined && { click: rendered.url }) }
    return { url: new URL(base, url), headers: json, body: JSON.stringify(text) }
  }
  const lines = [detail, rendered.url].filter((line) => line !== undefined && line !== '')
  // User names and names of servers must not mention anyone.
  const content =
    target.type === 'discord'
      ? { content: [`**${title}**`, ...lines].join('\n'), allowed_mentions: { parse: [] } }
      : { text: [`*${escapeSlack(title)}*`, ...lines.map((line) => escapeSlack(line ?? ''))].join('\n') }
  return { url, headers: json, body: JSON.stringify(content) }
}

function payloadOf(
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
