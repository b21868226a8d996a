import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ConnectionLimits } from '@innkeeper/contract/http/connection-limiter'
import { drainBody } from '@innkeeper/contract/http/drain-body'
import { requireOneHost } from '@innkeeper/contract/http/host-header'
import { HttpConnections, type HttpTimeouts, serverOptions } from '@innkeeper/contract/http/http-connections'
import { endSlowBody } from '@innkeeper/contract/http/slow-body'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { sftpProtocol } from '@innkeeper/contract/node-link/sftp'
import { limits } from '@innkeeper/contract/text/limits'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { GameQueries } from '../players/game-queries.ts'
import type { SftpServer } from '../sftp/sftp-server.ts'
import type { Trash } from '../trash/trash.ts'
import { backupRoutes } from './backup-routes.ts'
import { archiveRoutes, fileRoutes } from './file-routes.ts'
import { LiveSockets } from './live/live-sockets.ts'
import { StateStreams } from './live/state-streams.ts'
import { registerMetrics } from './metrics-route.ts'
import { type PanelHandlerDeps, panelHandlers } from './panel-routes.ts'
import { playerRoutes } from './player-routes.ts'
import { playerSessionRoutes } from './player-session-routes.ts'
import { RelayedSftpSessions } from './relayed-sftp-sessions.ts'
import { registerErrorHandler, sendError } from './requests/errors.ts'
import { registerPanelEndpoints, serverCallRoute } from './requests/serve.ts'
import type { TicketVerifier } from './requests/tickets.ts'
import { serverRoutes } from './routes.ts'
import { taskRoutes } from './task-routes.ts'
import { trashRoutes } from './trash-routes.ts'
import { uploadRoutes } from './upload-routes.ts'

interface Deps extends PanelHandlerDeps {
  readonly games: GameQueries
  readonly trash: Trash
  readonly tickets: TicketVerifier
  /** Serves SFTP, as soon as it has started. */
  readonly sftp: () => Pick<SftpServer, 'serveRelayed'> | undefined
  /** Whether servers can be started: the keeper is connected. */
  readonly isReady: () => boolean
  /** The metrics of this process, if this app serves them. */
  readonly metrics?: Parameters<typeof registerMetrics>[1] | undefined
  /** Key and certificate as PEM; without them plain HTTP, for a Unix socket. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
  readonly connectionLimits: ConnectionLimits
  readonly timeouts?: HttpTimeouts | undefined
  readonly log: Logger
  /** How long a request waits for the end of a power action. */
  readonly powerWaitMs?: number | undefined
  /** Grace time of active requests when the app closes. */
  readonly requestsEndMs?: number | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly connections: HttpConnections<Socket>
    readonly states: StateStreams
  }
}

export interface HttpServer {
  readonly app: FastifyInstance
  /** Serves a stream as a connection to the listener. */
  accept(connection: Duplex): void
  /** Closes all live sockets, then the listener. */
  close(): Promise<void>
}

/** The node's HTTP server: endpoints and live sockets. */
export function createApp(deps: Deps): HttpServer {
  const { servers, games, fileOperations, tickets, metrics, log } = deps
  const { powerWaitMs = limits.powerWaitMs, requestsEndMs = limits.requestsEndMs } = deps
  const app = createListener(deps)
  const states = new StateStreams({ servers, games, log })
  app.decorate('states', states)
  app.addHook('onClose', () => states.close())

  app.get('/daemon', () => ({ message: 'daemon is running' }))
  // For health checks without a ticket: reveals nothing else about the node.
  app.get('/healthz', (_, reply) => reply.code(200).send())
  app.get('/readyz', (_, reply) => reply.code(deps.isReady() ? 200 : 503).send())
  app.head('/daemon', (_, reply) => reply.code(204).send())
  if (metrics) registerMetrics(app, metrics)
  const serve = serverCallRoute(app, tickets, servers)
  serverRoutes(serve, { servers, games, powerWaitMs })
  playerRoutes(serve, servers)
  playerSessionRoutes(serve, servers)
  fileRoutes(serve, servers, fileOperations)
  archiveRoutes(serve, fileOperations)
  uploadRoutes(serve, deps.uploads)
  trashRoutes(serve, servers, deps.trash)
  taskRoutes(serve, deps.tasks)
  backupRoutes(serve, deps.backups, servers)
  registerPanelEndpoints(app, tickets, panelEndpoints, panelHandlers(deps))

  const sockets = new LiveSockets({ servers, tickets, connections: app.connections, states, log })
  const sftpSessions = new RelayedSftpSessions({ tickets, connections: app.connections, sftp: deps.sftp, log })
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const opener = request.headers.upgrade === sftpProtocol ? sftpSessions : sockets
    void opener.open(request, socket, head)
  })

  return {
    app,
    accept: (connection) => void app.server.emit('connection', connection),
    async close() {
      sockets.close()
      // A client that does not read its download must not prevent the exit.
      const cutOff = setTimeout(() => app.server.closeAllConnections(), requestsEndMs)
      await app.close().finally(() => clearTimeout(cutOff))
    },
  }
}

/** An HTTP server without routes, which limits its connections and the rate of bodies. */
function createListener({ connectionLimits, timeouts, tls, log }: Deps): FastifyInstance {
  const connections = new HttpConnections<Socket>({
    limits: connectionLimits,
    timeouts,
    warn: (message) => log.warn(message),
  })
  const app: FastifyInstance = Fastify({
    logger: false,
    // Called once for each address that `localhost` stands for.
    serverFactory: (handler) => {
      const http = serverOptions(connections.timeouts)
      const server = tls
        ? createSecureServer({ ...tls, ...http, minVersion: 'TLSv1.3' }, handler)
        : createServer(http, handler)
      connections.watch(server)
      return server
    },
    exposeHeadRoutes: false,
    bodyLimit: limits.bodyBytes,
    // Idle connections of the panel are closed with the listener.
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, log),
  })
  // Bodies are read as text whatever their content type; the endpoint defines their format.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body))
  app.decorateRequest('principal', undefined)
  app.decorate('connections', connections)
  app.addHook('onClose', async () => connections.close())
  registerErrorHandler(app, log)
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    requireOneHost(raw.rawHeaders)
    endSlowBody(raw, connections.timeouts.slowestBody)
    done()
  })
  app.addHook('onResponse', ({ raw, method, url, principal }, { statusCode }, done) => {
    drainBody(raw, limits.lingerMs)
    if (principal && method !== 'GET') log.info({ who: principal.sub, method, url, status: statusCode }, 'a call')
    done()
  })
  return app
}
