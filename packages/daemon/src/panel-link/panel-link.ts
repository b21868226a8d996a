import type { Endpoint, OptionalSchema, RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { Agent, type Dispatcher } from 'undici'
import { isRefusal } from '../errors/refusals.ts'
import type { NodeIdentity } from './node-key.ts'

/** The panel's address: a local socket or a URL. */
export type PanelAddress = { readonly socketPath: string } | { readonly url: string }

/** An endpoint for nodes. */
export type EndpointForNodes = Endpoint<OptionalSchema, OptionalSchema, OptionalSchema, OptionalSchema, 'node'>

/** An endpoint without a token. */
export type PublicEndpoint = Endpoint<OptionalSchema, OptionalSchema, OptionalSchema, OptionalSchema, 'public'>

/** The connection of a node to its panel. */
export interface PanelLink {
  /**
   * Calls the panel; its refusals are thrown. `ErrServiceNotAvailable` when it does not respond, or does not know this
   * node.
   */
  request<C extends EndpointForNodes>(call: C, input: RequestOf<C>): Promise<ResponseOf<C>>
  /** Calls a public endpoint. The panel's refusals are thrown. */
  requestPublic<C extends PublicEndpoint>(call: C, input: RequestOf<C>): Promise<ResponseOf<C>>
  close(): Promise<void>
}

/** Whether passwords could be read on the network: without TLS, beyond this host. */
export function isUnencrypted(panelUrl: string): boolean {
  const { protocol, hostname } = new URL(panelUrl)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** Responses to nodes are small. */
const maxResponseBytes = 4 * 1024 * 1024

/** Calls the panel over HTTP; each request has a token signed by this node. */
export function panelLink(address: PanelAddress, identity: NodeIdentity): PanelLink {
  const connect = 'socketPath' in address ? { socketPath: address.socketPath } : {}
  const agent = new Agent({
    connect: { ...connect, timeout: limits.nodeUsageMs },
    headersTimeout: limits.nodeCallMs,
    bodyTimeout: limits.nodeCallMs,
  })
  const origin = 'socketPath' in address ? 'http://panel' : new URL(address.url).origin
  const prefix = 'socketPath' in address ? '' : trimEnd(new URL(address.url).pathname, '/')

  /** Throws the panel's refusal. */
  async function send<C extends Endpoint>(
    call: C,
    input: RequestOf<C>,
    headers: Readonly<Record<string, string>>,
  ): Promise<ResponseOf<C>> {
    const { body } = input as { body?: unknown }
    const { statusCode, body: responseBody } = await agent.request({
      origin,
      path: `${prefix}${call.path}`,
      method: call.method as Dispatcher.HttpMethod,
      headers: { ...headers, accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(limits.nodeCallMs),
    })
    const text = await wholeText(responseBody)
    if (statusCode >= 300) throw getRefusal(statusCode, text)
    return call.response?.parse(JSON.parse(text)) as ResponseOf<C>
  }

  async function sendSigned<C extends Endpoint>(call: C, input: RequestOf<C>): Promise<ResponseOf<C>> {
    return await send(call, input, {
      authorization: `Bearer ${await identity.sign(requestPurpose(call.method, call.path))}`,
    })
  }

  return {
    request: (call, input) =>
      sendSigned(call, input).catch((error: unknown) => {
        // A rejected node token is not the fault of the user.
        throw isRefusal(error, 'ErrTokenInvalid') ? unavailable(error) : toRefusal(error)
      }),
    requestPublic: (call, input) =>
      send(call, input, {}).catch((error: unknown) => {
        throw toRefusal(error)
      }),
    close: () => agent.destroy(),
  }
}

const unavailable = (cause: unknown) => new Refusal('ErrServiceNotAvailable', {}, { cause })

const toRefusal = (error: unknown): Refusal => (isRefusal(error) ? error : unavailable(error))

/** The panel's refusal; other errors become ErrServiceNotAvailable. */
function getRefusal(status: number, text: string): Refusal {
  const refusal = refusalFrom(JSON.parse(text))
  if (refusal && status < 500) return refusal
  return unavailable(refusal ?? new Error(`The panel responded with status ${status}.`))
}

async function wholeText(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxResponseBytes) throw new Error('The response of the panel is too long.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
