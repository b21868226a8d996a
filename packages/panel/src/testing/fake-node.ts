import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { parseVersion } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { BackupUsage } from '@innkeeper/contract/backups/node-backups'
import { Definition } from '@innkeeper/contract/definitions/definition'
import { getPorts } from '@innkeeper/contract/definitions/port-variables'
import { getData, getDefinition, putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import {
  getAudience,
  outputPurpose,
  requestPurpose,
  socketPurpose,
  statesPurpose,
  Ticket,
} from '@innkeeper/contract/node-link/ticket'
import type { PortInUse } from '@innkeeper/contract/nodes/node-ports'
import type { NodeFeatures } from '@innkeeper/contract/nodes/nodes'
import * as calls from '@innkeeper/contract/servers/node-servers'
import type { PlayerCounts } from '@innkeeper/contract/servers/players'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/servers/status'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import { limits } from '@innkeeper/contract/text/limits'
import { importJWK, type JWK, jwtVerify } from 'jose'
import { type WebSocket, WebSocketServer } from 'ws'
import { getVersion } from '../database/versions.ts'
import { proxiedCalls } from '../proxy/proxied-calls.ts'

/** A received request with its verified ticket. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly ticket: Ticket
}

type Responder = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

interface Route {
  readonly method: string
  readonly path: string
  readonly permission: RequiredPermission | 'node'
  answer(request: { id: string; body: unknown; url: URL; ticket: Ticket }): unknown
  readonly status?: number
}

const features: NodeFeatures = {
  features: [],
  environments: ['standard', 'tty'],
  os: 'linux',
  arch: 'amd64',
  version: '0.0.0-test',
}

/**
 * A node on a unix socket that keeps definitions in memory and runs nothing. It verifies tickets like a real node:
 * signed by the panel, for this node, request, server and permission, and used once.
 */
export class FakeNode {
  readonly socketPath: string
  /** Definitions by server ID. */
  readonly definitions = new Map<string, Record<string, unknown>>()
  readonly received: ReceivedRequest[] = []
  readonly sockets = new Set<WebSocket>()
  /** Sockets for shared output; unless `sharesOutput`, they are rejected, as by older nodes. */
  readonly outputs = new Set<WebSocket>()
  readonly states = new Set<WebSocket>()
  sharesOutput = false
  /** Unless it does, sockets for states are rejected, as by older nodes. */
  sendsStates = false
  /** Called with each live socket, before anything is read from it. */
  onSocket: (socket: WebSocket, server: string) => void = () => {}
  status: ServerStatus = { running: true, installing: false, state: 'online', since: '2026-01-01T00:00:00.000Z' }
  /** Status by server ID, for servers that differ from `status`. */
  readonly statuses = new Map<string, ServerStatus>()
  stats: ServerStats = { cpu: 1.5, memory: 1024 }
  players: PlayerCounts | undefined
  /** By server ID. */
  readonly suspensions = new Map<string, Suspension | null>()
  backupUsage: readonly BackupUsage[] = []
  portsInUse: readonly PortInUse[] = []
  /** Installed programs, by the names in templates. */
  programs: readonly string[] = []
  readonly #responders = new Map<string, Responder>()
  readonly #used = new Set<string>()
  readonly #server: Server
  #key: Awaited<ReturnType<typeof importJWK>> | undefined

  private constructor(socketPath: string) {
    this.socketPath = socketPath
    this.#server = createServer(
      { maxHeaderSize: limits.headBytes },
      (request, response) => void this.#serve(request, response),
    )
    const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false })
    this.#server.on('upgrade', (request, socket, head) => {
      // A panel closes the socket of a viewer that has gone.
      socket.on('error', () => {})
      void this.#verifySocket(request).then(
        ({ purpose, server }) =>
          acceptor.handleUpgrade(request, socket, head, (live) => {
            if (purpose === statesPurpose) return this.#sendStates(live)
            const sockets = purpose === outputPurpose ? this.outputs : this.sockets
            sockets.add(live)
            live.once('close', () => sockets.delete(live))
            if (sockets === this.sockets) this.onSocket(live, server)
          }),
        (error: Refusal) => {
          const body = JSON.stringify(toEnvelope(error))
          socket.end(
            `HTTP/1.1 ${error.status} No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
          )
        },
      )
    })
  }

  static async start(socketPath: string): Promise<FakeNode> {
    const node = new FakeNode(socketPath)
    await new Promise<void>((resolve) => node.#server.listen(socketPath, resolve))
    return node
  }

  async trust(publicJwk: JWK): Promise<void> {
    this.#key = await importJWK(publicJwk, 'EdDSA')
  }

  /** Overrides the response to a request; its ticket is still verified. */
  answer(call: { method: string; path: string }, responder: Responder): void {
    this.#responders.set(`${call.method} ${call.path}`, responder)
  }

  refuse(call: { method: string; path: string }, refusal: Refusal): void {
    this.answer(call, (request, response) => {
      request.resume()
      sendJson(response, refusal.status, toEnvelope(refusal))
    })
  }

  async stop(): Promise<void> {
    for (const socket of [...this.sockets, ...this.states]) socket.terminate()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { method = 'GET', url = '' } = request
      const { pathname } = new URL(url, 'http://node')
      const route = routes.find((route) => route.method === method && matches(route.path, pathname))
      if (!route) throw new Refusal('ErrNotFound')
      const id = /^\/daemon\/server\/([0-9a-f]{8})/.exec(pathname)?.[1] ?? ''
      const ticket = await this.#verify(request, requestPurpose(method, url), route.permission, id)
      this.received.push({ method, url, headers: request.headers, ticket })

      const responder = this.#responders.get(`${route.method} ${route.path}`)
      if (responder) return await responder(request, response)
      const isNew = route.method === 'PUT' && route.path === panelEndpoints.createServer.path
      if (id && !isNew && !this.definitions.has(id)) throw new Refusal('ErrServerNotFound')
      const body = await readBody(request)
      if (route.path === getDefinition.path && (method === 'GET' || method === 'POST')) {
        const version = getVersion(this.definitions.get(id))
        const expected = parseVersion(request.headers['if-match'])
        if (expected !== undefined && expected !== version) throw new Refusal('ErrStaleVersion')
        if (method === 'GET') response.setHeader('etag', `"${version}"`)
      }
      const result = route.answer.call(this, { id, body, url: new URL(url, 'http://node'), ticket })
      if (result === undefined) response.writeHead(route.status ?? 204).end()
      else sendJson(response, 200, result)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal('ErrUnknownError', {}, { cause: error })
      sendJson(response, refusal.code === 'ErrTokenInvalid' ? 401 : refusal.status, toEnvelope(refusal))
    }
  }

  /** Sends the states once: later changes are not sent. */
  #sendStates(socket: WebSocket): void {
    this.states.add(socket)
    socket.once('close', () => this.states.delete(socket))
    socket.send(JSON.stringify({ servers: [...this.definitions.keys()].map((id) => this.getUsage(id)), removed: [] }))
  }

  getUsage(id: string): ServerUsage {
    const { stats, players } = this
    return { id, status: this.statuses.get(id) ?? this.status, stats, players }
  }

  async #verifySocket(request: IncomingMessage): Promise<{ purpose: string; server: string }> {
    if (request.url === `/daemon/${statesPurpose}` && this.sendsStates) {
      const ticket = await this.#verify(request, statesPurpose, 'node', '')
      return { purpose: ticket.purpose, server: '' }
    }
    const [, purpose, server] = /^\/daemon\/(socket|output)\/([0-9a-f]{8})$/.exec(request.url ?? '') ?? []
    if (!server || (purpose === outputPurpose && !this.sharesOutput)) throw new Refusal('ErrNotFound')
    const isOutput = purpose === outputPurpose
    const required = isOutput ? 'viewServerConsole' : 'viewServer'
    const ticket = await this.#verify(request, isOutput ? outputPurpose : socketPurpose, required, server)
    this.received.push({ method: 'GET', url: request.url ?? '', headers: request.headers, ticket })
    if (!this.definitions.has(server)) throw new Refusal('ErrServerNotFound')
    return { purpose: ticket.purpose, server }
  }

  async #verify(
    request: IncomingMessage,
    purpose: string,
    permission: Route['permission'],
    id: string,
  ): Promise<Ticket> {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (!this.#key) throw new Error('Call trust() first.')
    let ticket: Ticket
    try {
      const verified = await jwtVerify(token, this.#key, {
        algorithms: ['EdDSA'],
        audience: getAudience(0),
        maxTokenAge: limits.ticketLifeMs / 1000,
        clockTolerance: limits.clockSkewMs / 1000,
      })
      ticket = Ticket.parse(verified.payload)
    } catch (cause) {
      throw new Refusal('ErrTokenInvalid', {}, { cause })
    }
    const isFor = permission === 'node' ? ticket.server === undefined : ticket.server === id
    if (ticket.purpose !== purpose || !isFor || ticket.exp - ticket.iat > 60 || this.#used.has(ticket.jti)) {
      throw new Refusal('ErrTokenInvalid')
    }
    this.#used.add(ticket.jti)
    const holds = ticket.rights.includes(permission) || (permission !== 'node' && ticket.rights.includes('admin'))
    if (!holds) throw new Refusal('ErrMissingScope', { scope: permission })
    return ticket
  }
}

const panelRoutes: readonly (Route & ThisType<FakeNode>)[] = [
  { ...panelEndpoints.getFeatures, permission: 'node', answer: () => features },
  {
    ...panelEndpoints.getUsage,
    permission: 'node',
    answer({ url }) {
      const ids = (url.searchParams.get('ids') ?? '').split(',').filter((id) => this.definitions.has(id))
      return ids.map((id) => this.getUsage(id))
    },
  },
  {
    ...panelEndpoints.listServers,
    permission: 'node',
    answer() {
      return [...this.definitions].map(([id, { display, type }]) => {
        const { running } = this.statuses.get(id) ?? this.status
        return { id, running, display, type }
      })
    },
  },
  {
    ...panelEndpoints.getBackupUsage,
    permission: 'node',
    answer() {
      return this.backupUsage
    },
  },
  {
    ...panelEndpoints.getBackupPlan,
    permission: 'node',
    answer: () => [],
  },
  {
    ...panelEndpoints.listPortsInUse,
    permission: 'node',
    answer() {
      return this.portsInUse
    },
  },
  {
    ...panelEndpoints.getBackupDefinition,
    permission: 'node',
    answer() {
      throw new Refusal('ErrBackupFailed')
    },
  },
  {
    ...panelEndpoints.fillFromBackup,
    permission: 'node',
    answer() {
      throw new Refusal('ErrBackupFailed')
    },
  },
  {
    ...panelEndpoints.listServerPorts,
    permission: 'node',
    answer() {
      return [...this.definitions.values()].flatMap((definition) => {
        const { data } = Definition.parse(definition)
        return getPorts(data).map((port) => ({ address: tryParseListenAddress(data).ip, port }))
      })
    },
  },
  {
    ...panelEndpoints.findMissingPrograms,
    permission: 'node',
    answer({ body }) {
      const { programs } = panelEndpoints.findMissingPrograms.body.parse(body)
      return { missing: programs.filter((name) => !this.programs.includes(name)) }
    },
  },
  {
    ...panelEndpoints.createServer,
    permission: 'node',
    answer({ id, body }) {
      if (this.definitions.has(id)) throw new Refusal('ErrServerAlreadyExists')
      this.definitions.set(id, Definition.parse(body))
      return { id }
    },
  },
  {
    ...panelEndpoints.setSuspension,
    permission: 'node',
    answer({ id, body }) {
      this.suspensions.set(id, panelEndpoints.setSuspension.body.parse(body).suspension)
    },
  },
  {
    ...panelEndpoints.deleteServer,
    permission: 'node',
    answer({ id }) {
      this.definitions.delete(id)
    },
  },
]

/** Without targets. */
const targetRoutes: readonly (Route & ThisType<FakeNode>)[] = Object.values(panelEndpoints)
  .filter(({ path }) => path.includes('target'))
  .map((call) => ({
    ...call,
    permission: 'node',
    answer: () => (call === panelEndpoints.listBackupTargets ? { targets: [], defaults: ['local'] } : undefined),
  }))

const powers = [calls.startServer, calls.stopServer, calls.restartServer, calls.killServer, calls.installServer]

const userRoutes: readonly (Route & ThisType<FakeNode>)[] = [
  {
    ...on(getDefinition),
    answer({ id }) {
      return { ...this.definitions.get(id), id }
    },
  },
  {
    ...on(putDefinition),
    answer({ id, body }) {
      this.definitions.set(id, Definition.parse(body))
    },
  },
  {
    ...on(getData),
    answer({ id }) {
      return { data: this.definitions.get(id)?.data }
    },
  },
  {
    ...on(putData),
    answer({ id, body }) {
      const data = this.definitions.get(id)?.data as Record<string, object>
      const changes = putData.body.parse(body).data
      for (const [name, { value }] of Object.entries(changes)) data[name] = { ...data[name], value }
    },
  },
  {
    ...on(calls.getStatus),
    answer() {
      return this.status
    },
  },
  {
    ...on(calls.getStats),
    answer() {
      return this.stats
    },
  },
  {
    ...on(calls.getConsole),
    answer: ({ url }) => ({ epoch: 1, logs: `since ${url.searchParams.get('time') ?? '0'}`, from: 0, to: 8 }),
  },
  { ...on(calls.sendCommand), answer: () => undefined },
  ...powers.map((power) => ({ ...on(power), answer: () => undefined })),
  { ...on(calls.reloadServer), answer: () => undefined },
  ...proxiedCalls
    .filter(({ path }) => /\/(players|backup|trash|versions|file|files|archive|extract|uploads|tasks)(\/|$)/.test(path))
    .map((call) => ({ ...on(call), answer: () => undefined })),
]

const routes: readonly (Route & ThisType<FakeNode>)[] = [...panelRoutes, ...targetRoutes, ...userRoutes]

interface OfServer {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly access: { readonly onServer: RequiredPermission }
}

function on({ method, path, access, status }: OfServer) {
  return { method, path, permission: access.onServer, status }
}

function matches(path: string, actual: string): boolean {
  const shape = path
    .replace(':id', '[0-9a-f]{8}')
    .replace(/\/:\w+\*/, '(/.*)?')
    .replace(/:\w+/, '[^/]+')
  return new RegExp(`^${shape}$`).test(actual)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString('utf8')
  return request.headers['content-type']?.includes('json') && text !== '' ? JSON.parse(text) : text
}
