import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { requireOneHost } from '@innkeeper/contract/http/host-header'
import type { HttpConnections } from '@innkeeper/contract/http/http-connections'
import { outputPurpose, socketPurpose, statesPurpose } from '@innkeeper/contract/node-link/ticket'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { OutputRates } from '@innkeeper/contract/servers/output-rates'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Registry } from '../../servers/registry.ts'
import { findUserId } from '../../servers/task-owners.ts'
import { refusalFor } from '../requests/errors.ts'
import { refuseUpgrade } from '../requests/refuse-upgrade.ts'
import type { TicketRequirement, TicketVerifier } from '../requests/tickets.ts'
import { LiveResponseLimiter } from './live-response-limiter.ts'
import type { StateStreams } from './state-streams.ts'
import { Viewer } from './viewer.ts'

interface Deps {
  readonly servers: Registry
  readonly tickets: TicketVerifier
  readonly connections: Pick<HttpConnections<Socket>, 'authenticate'>
  readonly states: StateStreams
  readonly log: Logger
}

/** The live sockets of all servers: opens them, and detects dead connections. */
export class LiveSockets {
  readonly #deps: Deps
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: limits.socketFrameBytes,
    perMessageDeflate: false,
  })
  readonly #unanswered = new WeakSet<WebSocket>()
  readonly #responses = new LiveResponseLimiter()
  readonly #output = new OutputRates()
  #heartbeat: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Handles an upgrade: opens a live socket or sends the refusal. */
  async open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { servers, tickets, connections, log } = this.#deps
    socket.on('error', (cause) => log.debug({ err: cause }, 'a connection failed'))
    try {
      requireOneHost(request.rawHeaders)
      if (/^\/daemon\/states(?:\?|$)/.test(request.url ?? '')) return await this.#openStates(request, socket, head)
      const [, path = '', id = ''] = /^\/daemon\/(socket|output)\/([0-9a-f]{8})(?:\?|$)/.exec(request.url ?? '') ?? []
      const access = requirements[path]
      if (!access) throw new Refusal('ErrNotFound')
      const requirement = { ...access, server: id }
      const { permissions, sub, username } = await tickets.verify(request.headers.authorization, requirement)
      const userId = findUserId(sub)
      const server = servers.get(id)
      const owner = userId === undefined ? undefined : `user ${userId} server ${id}`
      if (!connections.authenticate(request.socket, owner)) throw new Refusal('ErrTooManyRequests')
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        const viewerLog = log.child({ who: sub, server: id })
        // Each shared stream has the rate of a user.
        const [responses, output] = [this.#responses, this.#output.join(userId ?? opened)]
        new Viewer({
          socket: opened,
          server,
          permissions: server.permissionsNow(permissions, userId),
          userId,
          username,
          responses,
          output,
          log: viewerLog,
        })
        this.#watchLiveness(opened)
      })
    } catch (cause) {
      const refusal = refusalFor(cause)
      if (!refusal) log.error({ err: cause }, 'failed to open a live socket')
      refuseUpgrade(socket, refusal ?? new Refusal('ErrUnknownError'))
    }
  }

  async #openStates(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { tickets, connections, states } = this.#deps
    await tickets.verify(request.headers.authorization, { purpose: statesPurpose, permission: 'node' })
    if (!connections.authenticate(request.socket as Socket)) throw new Refusal('ErrTooManyRequests')
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      this.#watchLiveness(opened)
      states.add(opened)
    })
  }

  #watchLiveness(socket: WebSocket): void {
    socket.on('pong', () => this.#unanswered.delete(socket))
    this.#heartbeat ??= setInterval(() => this.#ping(), limits.socketPingEveryMs)
  }

  /** Closes all sockets: the node is closing, the servers continue. */
  close(): void {
    clearInterval(this.#heartbeat)
    for (const socket of this.#sockets.clients) socket.close(closeCodes.goingAway)
    // Does not wait for close handshakes.
    for (const socket of this.#sockets.clients) setTimeout(() => socket.terminate(), limits.socketRetryBaseMs).unref()
    this.#sockets.close()
  }

  #ping(): void {
    for (const socket of this.#sockets.clients) {
      if (this.#unanswered.has(socket)) {
        socket.terminate()
      } else {
        this.#unanswered.add(socket)
        socket.ping()
      }
    }
    if (this.#sockets.clients.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}

/** By the last part of the path of a socket. */
const requirements: Readonly<Record<string, Omit<TicketRequirement, 'server'>>> = {
  socket: { purpose: socketPurpose, permission: 'viewServer' },
  output: { purpose: outputPurpose, permission: 'viewServerConsole' },
}
