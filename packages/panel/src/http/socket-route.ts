import type { IncomingMessage } from 'node:http'
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
import type { Handshake, Upgrades } from './upgrades.ts'

interface Deps {
  readonly access: AccessService
  readonly sockets: WebSocketConnections
  readonly masterUrl: () => string | undefined
  readonly upgrades: Upgrades
  readonly log: Logger
}

const rule = { onServer: 'viewServer' } as const

/** The live sockets of servers. */
export function registerSocketRoute(app: FastifyInstance, { access, sockets, masterUrl, upgrades, log }: Deps): void {
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socketFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  })

  for (const url of [`/proxy${liveSocketPath}`, liveSocketPath]) {
    app.route({
      method: 'GET',
      url,
      exposeHeadRoute: false,
      config: { access: rule },
      handler: async (request, reply) => {
        const token = bearerToken(request) ?? sameOriginSessionCookie(request, getClientInfo(request), masterUrl())
        const authorized = await authorize(access, rule, request, { token })
        const handshake = upgrades.find(request)
        if (!handshake || !authorized?.server) throw new Refusal('ErrNotFound')

        try {
          await sockets.join(authorized.principal, authorized.server, request.ip, async () => {
            upgrades.take(handshake, reply)
            return accept(request.raw, handshake)
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

  function accept(request: IncomingMessage, { socket, head }: Handshake): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const onDisconnect = () => reject(new Error('The client disconnected during the handshake.'))
      if (socket.destroyed) return onDisconnect()
      socket.once('close', onDisconnect)
      acceptor.handleUpgrade(request, socket, head, resolve)
    })
  }
}
