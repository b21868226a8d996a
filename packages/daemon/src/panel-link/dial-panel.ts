import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketDuplex } from '@innkeeper/contract/http/websocket-duplex'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { heldPanelsHeader, panelIdHeader, tunnelPath, tunnelProtocol } from '@innkeeper/contract/node-link/tunnel'
import { limits } from '@innkeeper/contract/text/limits'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import WebSocket from 'ws'
import type { NodeIdentity } from './node-key.ts'

interface Options {
  readonly panelUrl: string
  readonly identity: NodeIdentity
  /** Panels to which this node has a tunnel. */
  readonly held: readonly string[]
}

/** A panel that has answered; `connection` is absent when this node has a tunnel to it. */
export interface DialedPanel {
  readonly panelId: string
  readonly connection?: Duplex
}

/**
 * Opens a connection for a tunnel to any of the panels at the address: as an upgrade to its own protocol, or as a
 * WebSocket where a proxy passes nothing else.
 */
export async function dialPanel(options: Options): Promise<DialedPanel> {
  try {
    return await dialPlain(options)
  } catch (cause) {
    return await dialWebSocket(options).catch((error: unknown) => {
      throw new Error(`The panel opens no tunnel: ${getText(error)}.`, { cause })
    })
  }
}

async function getHeaders({ identity, held }: Options): Promise<Record<string, string>> {
  const token = await identity.sign(requestPurpose('GET', tunnelPath))
  return { authorization: `Bearer ${token}`, [heldPanelsHeader]: held.join(',') }
}

async function dialPlain(options: Options): Promise<DialedPanel> {
  const url = `${trimEnd(options.panelUrl, '/')}${tunnelPath}`
  const headers = { ...(await getHeaders(options)), connection: 'Upgrade', upgrade: tunnelProtocol }
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, { headers, agent: false })
  return await upgraded(request, (socket, head) => {
    // With a half of it closed, a tunnel is of no use.
    socket.allowHalfOpen = false
    socket.setNoDelay(true)
    if (head.length > 0) socket.unshift(head)
    return socket
  })
}

function upgraded(request: ClientRequest, take: (socket: Socket, head: Buffer) => Duplex): Promise<DialedPanel> {
  return new Promise((resolve, reject) => {
    request.setTimeout(limits.nodeCallMs, () => request.destroy(new Error('The panel does not respond.')))
    request.once('error', reject)
    request.once('upgrade', (response, socket, head) => {
      // It has no timeout any more.
      ;(socket as Socket).setTimeout(0)
      resolve({ panelId: getPanelId(response), connection: take(socket as Socket, head) })
    })
    request.once('response', (response) => {
      response.resume()
      if (isHeld(response)) resolve({ panelId: getPanelId(response) })
      else reject(notOpened(response))
    })
    request.end()
  })
}

async function dialWebSocket(options: Options): Promise<DialedPanel> {
  const url = `${trimEnd(options.panelUrl, '/').replace(/^http/, 'ws')}${tunnelPath}`
  const socket = new WebSocket(url, {
    headers: await getHeaders(options),
    handshakeTimeout: limits.nodeCallMs,
    perMessageDeflate: false,
  })
  return await new Promise((resolve, reject) => {
    let panelId = ''
    socket.once('upgrade', (response) => {
      panelId = getPanelId(response)
    })
    socket.once('open', () => resolve({ panelId, connection: new WebSocketDuplex(socket) }))
    socket.once('unexpected-response', (_request, response) => {
      response.resume()
      if (isHeld(response)) resolve({ panelId: getPanelId(response) })
      else reject(notOpened(response))
      socket.terminate()
    })
    socket.on('error', reject)
  })
}

const isHeld = ({ statusCode }: IncomingMessage): boolean => statusCode === 204

const getPanelId = ({ headers }: IncomingMessage): string => String(headers[panelIdHeader] ?? '')

const notOpened = ({ statusCode }: IncomingMessage): Error => new Error(`the response has the status ${statusCode}`)

const getText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
