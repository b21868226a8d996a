import type { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import {
  type Endpoint,
  getUrl,
  type Method,
  parseVersion,
  type RequestOf,
  type ResponseOf,
} from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getSftpPath, type RelayedSftp, sftpProtocol } from '@innkeeper/contract/node-link/sftp'
import {
  type outputPurpose,
  requestPurpose,
  sftpPurpose,
  type socketPurpose,
  statesPurpose,
} from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { Agent, type Dispatcher, upgrade } from 'undici'
import type WebSocket from 'ws'
import { decoupledBody } from './decoupled-body.ts'
import { LivenessProbe, livenessTimeoutMs } from './liveness-probe.ts'
import { getRefusal, type NodeResponse, readText } from './node-response.ts'
import { ClientSession } from './node-session.ts'
import { createSocket, waitUntilOpen } from './node-socket.ts'
import { NodeStates } from './node-states.ts'
import type { NodeTransport } from './node-transport.ts'
import type { TicketClaims, TicketSigner } from './tickets.ts'

/** How a node is reached. */
export interface NodeAddress {
  readonly nodeId: number
  readonly transport: NodeTransport
}

/** The identity of a request to a node; its purpose follows from the request. */
export type OnBehalfOf = Omit<TicketClaims, 'nodeId' | 'purpose'>

/** The panel itself, without a user's permission on a server. */
export const panelIdentity: OnBehalfOf = { permissions: ['node'] }

/** The panel itself, on one server. */
const panelIdentityOn = (server: string): OnBehalfOf => ({ server, permissions: ['admin'] })

interface CallOptions {
  /** By default the panel, as an administrator of the server in the path. */
  readonly onBehalfOf?: OnBehalfOf
  /** For `If-Match`; any version without it. */
  readonly expectedVersion?: string | undefined
  /** For `Idempotency-Key`: a repeated request with the same key has no effect. */
  readonly idempotencyKey?: string | undefined
  readonly timeoutMs?: number
  /** With a signed ticket, not with one of the session. */
  readonly isSigned?: boolean
}

interface RequestParts {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** An endpoint of a node, for the panel or for users of a server. */
export type EndpointOfNode = Endpoint & { readonly access: 'panel' | { readonly onServer: RequiredPermission } }

interface ProxyOptions {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable | undefined
  /** Timeout from the end of the request to the response headers; `undefined` means none. */
  readonly responseTimeoutMs: number | undefined
  /** Aborts the request, here also when the node does not respond; a refusal as reason is returned to the user. */
  readonly abort: AbortController
}

/** The transport knows the address. */
const origin = 'http://node'

interface SentRequest extends Pick<Dispatcher.RequestOptions, 'body' | 'signal'> {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** HTTP and WebSocket client for a node, local or remote, with a ticket on each request. */
export class NodeClient {
  readonly nodeId: number
  readonly #transport: NodeTransport
  readonly #tickets: TicketSigner
  readonly #session = new ClientSession({
    open: () => this.call(panelEndpoints.openSession, {}, { timeoutMs: limits.nodeUsageMs, isSigned: true }),
    signingKeyId: () => this.#tickets.keyId(),
  })
  readonly #agent: Agent
  readonly #sockets = new Set<WebSocket>()
  /** The states of the servers of the node. */
  readonly states = new NodeStates(() => this.#openStates())
  readonly #probe = new LivenessProbe(() => this.#isThere())

  constructor({ nodeId, transport }: NodeAddress, tickets: TicketSigner) {
    this.nodeId = nodeId
    this.#transport = transport
    this.#tickets = tickets
    // Timeouts are per request: one that waits for a stop may take an hour.
    this.#agent = new Agent({
      connect: (_options, callback) => {
        transport.connect().then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(toError(error), null),
        )
      },
      headersTimeout: 0,
      bodyTimeout: limits.nodeStreamIdleMs,
    })
  }

  /** Calls an endpoint and returns its validated response. Rethrows a refusal of the node. */
  async call<E extends EndpointOfNode>(
    endpoint: E,
    input: RequestOf<E>,
    options: CallOptions = {},
  ): Promise<ResponseOf<E>> {
    return (await this.callVersioned(endpoint, input, options)).response
  }

  /** `call`, with the version in `ETag`. */
  async callVersioned<E extends EndpointOfNode>(
    endpoint: E,
    input: RequestOf<E>,
    { onBehalfOf, expectedVersion, idempotencyKey, timeoutMs = limits.nodeCallMs, isSigned = false }: CallOptions = {},
  ): Promise<{ readonly response: ResponseOf<E>; readonly version: string | undefined }> {
    const { method } = endpoint
    const { params, query, body } = input as RequestParts
    const path = getUrl(endpoint, { params, query })
    const byPanel = endpoint.access === 'panel' ? panelIdentity : panelIdentityOn(String(params?.id))
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), timeoutMs)
    const unguard = timeoutMs > limits.nodeCallMs ? this.#guard(abort) : undefined
    const sent = body === undefined ? {} : { body: JSON.stringify(body), type: { 'content-type': 'application/json' } }
    const precondition = expectedVersion === undefined ? {} : { 'if-match': `"${expectedVersion}"` }
    const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    let json: unknown
    let version: string | undefined
    try {
      const headers = { accept: 'application/json', ...sent.type, ...precondition, ...key }
      const request = { method, path, headers, body: sent.body, signal: abort.signal }
      const response = await this.#send(onBehalfOf ?? byPanel, request, isSigned)
      const text = await readText(response.body)
      json = text === '' ? undefined : JSON.parse(text)
      if (response.statusCode >= 300) throw getRefusal(response.statusCode, json)
      version = parseVersion([response.headers.etag].flat()[0])
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw new Refusal('ErrServiceNotAvailable', {}, { cause: error })
    } finally {
      clearTimeout(timer)
      unguard?.()
    }
    return { response: endpoint.response?.parse(json) as ResponseOf<E>, version }
  }

  /** Proxies a user's request with streamed bodies. */
  async proxy(
    onBehalfOf: OnBehalfOf,
    { method, path, headers, body, responseTimeoutMs, abort }: ProxyOptions,
  ): Promise<NodeResponse> {
    let timer: NodeJS.Timeout | undefined
    const expect = () => {
      if (responseTimeoutMs !== undefined) timer = setTimeout(() => abort.abort(), responseTimeoutMs)
    }
    const sent = body && decoupledBody(body)
    // The timeout does not include the time that the user needs to send the body.
    if (sent) sent.once('end', expect)
    else expect()
    const unguard = this.#guard(abort)
    try {
      // A body can be sent once, so its ticket must be one that the node does not forget.
      const request = { method, path, headers, body: sent, signal: abort.signal }
      const response = await this.#send(onBehalfOf, request, sent !== undefined)
      // The body may fail before it has a reader; the reader gets the error later.
      response.body.on('error', () => {})
      if (unguard) response.body.once('close', unguard)
      return { status: response.statusCode, headers: response.headers, body: response.body }
    } catch (error) {
      unguard?.()
      const { reason } = abort.signal
      if (reason instanceof Refusal) throw reason
      // The client disconnected in the middle of its body.
      if (error instanceof Refusal) throw error
      throw new Refusal('ErrServiceNotAvailable', {}, { cause: error })
    } finally {
      sent?.off('end', expect)
      clearTimeout(timer)
    }
  }

  /**
   * Opens a live socket of a server, or that of its output, paused, so that nothing is lost before there is a listener.
   * The caller must respond to pings: a pong means that the viewer has received the data before it.
   */
  async openSocket(
    onBehalfOf: OnBehalfOf,
    server: string,
    purpose: typeof socketPurpose | typeof outputPurpose,
  ): Promise<WebSocket> {
    const socket = await this.#connect({ ...onBehalfOf, server, purpose }, `/daemon/${purpose}/${server}`)
    // A cut connection does not close the socket: the viewer would wait for a machine that is gone.
    const abort = new AbortController()
    abort.signal.addEventListener('abort', () => socket.terminate())
    const unguard = this.#guard(abort)
    if (unguard) socket.once('close', unguard)
    return waitUntilOpen(socket)
  }

  /** Opens an SFTP session on a server: the packets of its client, in both directions. */
  async openSftp(onBehalfOf: OnBehalfOf, server: string, relayed: RelayedSftp): Promise<Duplex> {
    const abort = new AbortController()
    const unguard = this.#guard(abort)
    try {
      const authorization = await this.#signTicket({ ...onBehalfOf, server, purpose: sftpPurpose })
      const { socket } = await upgrade(`${origin}${getSftpPath(server)}?${new URLSearchParams(relayed)}`, {
        dispatcher: this.#agent,
        protocol: sftpProtocol,
        headers: { authorization },
        signal: AbortSignal.any([abort.signal, AbortSignal.timeout(limits.nodeCallMs)]),
      })
      abort.signal.addEventListener('abort', () => socket.destroy())
      socket.once('close', () => unguard?.())
      return socket
    } catch (cause) {
      unguard?.()
      throw new Refusal('ErrServiceNotAvailable', {}, { cause })
    }
  }

  async #openStates(): Promise<WebSocket> {
    return waitUntilOpen(await this.#connect({ ...panelIdentity, purpose: statesPurpose }, `/daemon/${statesPurpose}`))
  }

  async #connect(claims: Omit<TicketClaims, 'nodeId'>, path: string): Promise<WebSocket> {
    const [authorization, connection] = [await this.#signTicket(claims), await this.#openConnection()]
    const socket = createSocket(connection, path, authorization)
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }

  async #openConnection(): Promise<Socket> {
    return await this.#transport.connect().catch((cause: unknown) => {
      throw new Refusal('ErrServiceNotAvailable', {}, { cause })
    })
  }

  /** Aborts all pending requests. */
  async close(): Promise<void> {
    this.#probe.close()
    for (const socket of this.#sockets) socket.terminate()
    await this.#agent.destroy()
  }

  /** The local node needs no probes. */
  #guard(request: AbortController): (() => void) | undefined {
    return this.#transport.isLocal ? undefined : this.#probe.begin(request)
  }

  /** Whether the node responds at all. */
  async #isThere(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(livenessTimeoutMs)
      const { body } = await this.#agent.request({ origin, path: '/daemon', method: 'HEAD', signal })
      await body.dump()
      return true
    } catch {
      // The reason is reported by the pending request.
      return false
    }
  }

  /** Sends a request with a ticket of the session, or with a signed one when there is none, or the node does not know it. */
  async #send(onBehalfOf: OnBehalfOf, request: SentRequest, isSigned: boolean): Promise<Dispatcher.ResponseData> {
    const { method, path, headers } = request
    const claims = { ...onBehalfOf, purpose: requestPurpose(method, path) }
    const send = (authorization: string) =>
      this.#agent.request({ ...request, origin, headers: { ...headers, authorization } })
    const inSession = isSigned ? undefined : await this.#session.authorize(claims)
    if (inSession) {
      const response = await send(inSession.authorization)
      if (response.statusCode !== 401) return response
      inSession.end()
      await response.body.dump()
    }
    return await send(await this.#signTicket(claims))
  }

  async #signTicket(claims: Omit<TicketClaims, 'nodeId'>): Promise<string> {
    return `Bearer ${await this.#tickets.sign({ ...claims, nodeId: this.nodeId })}`
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
