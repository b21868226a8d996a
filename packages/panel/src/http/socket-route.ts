import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { liveSocketPath } from '@innkeeper/contract/servers/node-servers'
import { limits } from '@innkeeper/contract/text/limits'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { AccessService } from '../access/access.ts'
import type { WebSocketConnections } from '../proxy/websocket-connections.ts'
import { bearerToken, sameOriginSessionCookie } from './credentials.ts'
import { authorize, getClientInfo } from './route-registrar.ts'

interface Deps {
  readonly access: AccessService
  readonly sockets: WebSocketConnections
  readonly masterUrl: () => string | undefined
  readonly log: Logger
}

const rule = { onServer: 'viewServer' } as const

/**
 * Handles WebSocket handshakes. A handshake passes the same router, authorization and error handling as any request,
 * and is upgraded only when authorized.
 */
export function registerSocketRoute(app: FastifyInstance, { access, sockets, masterUrl, log }: Deps): void {
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socketFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const handshakes = new WeakMap<IncomingMessage, { socket: Duplex; head: Buffer }>()

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', (error) => log.debug({ err: error }, 'a connection failed during its handshake'))
    const response = new ServerResponse(request)
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
    response.shouldKeepAlive = false
    // Only a response that rejects the handshake ends here. The client might never close its side.
    response.once('finish', () => socket.end(() => socket.destroy()))
    handshakes.set(request, { socket, head })
    app.routing(request, response)
  })

  for (const url of [`/proxy${liveSocketPath}`, liveSocketPath]) {
    app.route({
      method: 'GET',
      url,
      exposeHeadRoute: false,
      config: { access: rule },
      handler: async (request, reply) => {
        const token = bearerToken(request) ?? sameOriginSessionCookie(request, getClientInfo(request), masterUrl())
        const authorized = await authorize(access, rule, request, token)
        const handshake = handshakes.get(request.raw)
        if (!handshake || !authorized?.server) throw new Refusal('ErrNotFound')

        try {
          await sockets.join(authorized.principal, authorized.server, request.ip, async () => {
            reply.hijack()
            return accept(request.raw, reply.raw, handshake)
          })
        } catch (error) {
          // Before the upgrade it is an error response; after it there is no way to report it.
          if (!reply.sent) throw error
          log.debug({ err: error }, 'a live socket ended during its handshake')
          handshake.socket.destroy()
        }
      },
    })
  }

  function accept(
    request: IncomingMessage,
    response: ServerResponse,
    { socket, head }: { socket: Duplex; head: Buffer },
  ): Promise<WebSocket> {
    response.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0])
    return new Promise((resolve, reject) => {
      const onDisconnect = () => reject(new Error('The client disconnected during the handshake.'))
      if (socket.destroyed) return onDisconnect()
      socket.once('close', onDisconnect)
      acceptor.handleUpgrade(request, socket, head, resolve)
    })
  }
}
