import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Schema } from '@innkeeper/contract/api/endpoint'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ConnectionLimits } from '@innkeeper/contract/http/connection-limiter'
import { drainBody } from '@innkeeper/contract/http/drain-body'
import { requireOneHost } from '@innkeeper/contract/http/host-header'
import { HttpConnections, type HttpTimeouts, serverOptions } from '@innkeeper/contract/http/http-connections'
import { endSlowBody } from '@innkeeper/contract/http/slow-body'
import { limits } from '@innkeeper/contract/text/limits'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { AuditRecorder } from '../activity/audit-recorder.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { NodeTunnels } from '../nodes/client/node-tunnels.ts'
import type { NodeAuthenticator } from '../nodes/node-authenticator.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ActivityTargets } from '../proxy/activity-targets.ts'
import type { HttpProxy } from '../proxy/http-proxy.ts'
import type { WebSocketConnections } from '../proxy/websocket-connections.ts'
import type { RegisterFormRoute, RegisterRoute } from '../routing/route-context.ts'
import type { UsageService } from '../servers/usage.ts'
import type { ThemesService } from '../themes/themes.ts'
import { registerApiDocs } from './api-docs.ts'
import { sendError } from './errors.ts'
import { formRouteRegistrar } from './form-routes.ts'
import { parseRequestJson } from './json.ts'
import { registerManifest } from './manifest.ts'
import { registerMetrics } from './metrics-route.ts'
import { registerProxyRoutes } from './proxy-routes.ts'
import { type ProxyTrust, proxyTrust, type ServerUids } from './proxy-trust.ts'
import { RequestsInFlight } from './requests-in-flight.ts'
import { routeRegistrar } from './route-registrar.ts'
import { securityHeaders } from './security-headers.ts'
import { compileSerializer, type Serialize } from './serializer.ts'
import { registerSocketRoute } from './socket-route.ts'
import { registerThemeFiles } from './theme-files.ts'
import { registerTunnelRoute } from './tunnel-route.ts'
import { isKnownUpgrade, Upgrades } from './upgrades.ts'
import { registerUsageRoutes } from './usage-routes.ts'
import { registerWebApp } from './web-app.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly proxyTrust: ProxyTrust
    readonly connections: HttpConnections<Socket>
  }
}

interface Deps {
  readonly access: AccessService
  readonly reauthentication: Pick<Reauthentication, 'requireRecentLogin'>
  readonly requests: HttpProxy
  readonly usage: Pick<UsageService, 'readStatus' | 'readStats'>
  readonly sockets: WebSocketConnections
  readonly targets: ActivityTargets
  readonly masterUrl: () => string | undefined
  /** Records audit log entries. */
  readonly auditRecorder: AuditRecorder
  readonly nodeAuthenticator: Pick<NodeAuthenticator, 'authenticate'>
  readonly nodes: Pick<NodesService, 'addTunnel'>
  readonly tunnels: NodeTunnels
  readonly trustProxy: readonly string[]
  readonly serverUids?: ServerUids | undefined
  readonly themes: Pick<ThemesService, 'archive'>
  readonly companyName: () => Promise<string>
  readonly webDir?: string | undefined
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  readonly connectionLimits: ConnectionLimits
  readonly timeouts?: HttpTimeouts | undefined
  /** How long the rest of an upload is read after the response was sent. */
  readonly lingerMs?: number | undefined
  /** Metrics, if this panel serves them. */
  readonly metrics?: Parameters<typeof registerMetrics>[1] | undefined
  readonly log: Logger
  /** Compiles the serializer of a response. */
  readonly serializerFor?: ((schema: Schema) => Serialize) | undefined
  /** The OpenAPI document. */
  readonly apiDocument: () => Promise<unknown>
  /** Registers all endpoints of the panel. */
  readonly routes: (registerRoute: RegisterRoute, registerFormRoute: RegisterFormRoute) => void
}

/** The HTTP server of the panel. */
export type Listener = FastifyInstance

/** Builds the server. It responds to injected requests, and to the network once it listens. */
export async function createListener(deps: Deps): Promise<Listener> {
  const { access, requests, sockets, masterUrl, auditRecorder, apiDocument, trustProxy, serverUids, webDir, tls, log } =
    deps
  const trust = proxyTrust({ proxies: trustProxy, serverUids, log })
  const connections = new HttpConnections<Socket>({
    limits: deps.connectionLimits,
    timeouts: deps.timeouts,
    isProxy: trust.isProxyConnection,
    warn: (message) => log.warn(message),
  })
  const { timeouts } = connections
  const http = { ...serverOptions(timeouts), shouldUpgradeCallback: isKnownUpgrade }
  const app: Listener = Fastify({
    // Called once for each address that `localhost` stands for.
    serverFactory: (handler) => {
      const server = tls ? createSecureServer({ ...tls, ...http }, handler) : createServer(http, handler)
      trust.watch(server, tls !== undefined)
      connections.watch(server)
      return server
    },
    loggerInstance: log as FastifyBaseLogger,
    trustProxy: trust.isProxy,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle' as const,
    // Requests during shutdown are handled normally; the database is closed last.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2_048 },
    exposeHeadRoutes: true,
    frameworkErrors: sendError,
  })

  app.decorate('proxyTrust', trust)
  app.decorate('connections', connections)
  app.addHook('onClose', async () => connections.close())
  trust.stripUntrustedHeaders(app)
  app.addHook('onRoute', (route) => {
    if (!route.config?.access) throw new Error(`${String(route.method)} ${route.url} has no access rule.`)
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(securityHeaders)
    requireOneHost(request.raw.rawHeaders)
    endSlowBody(request.raw, timeouts.slowestBody)
    done()
  })
  if (log.isLevelEnabled('debug')) logResponses(app)
  app.addHook('onResponse', (request, _reply, done) => {
    drainBody(request.raw, deps.lingerMs ?? limits.lingerMs)
    done()
  })
  if (deps.metrics) registerMetrics(app, deps.metrics)
  app.setErrorHandler(sendError)
  acceptOnlyJson(app)

  const inFlight = new RequestsInFlight()
  const registerRoute = routeRegistrar({
    app,
    access,
    reauthentication: deps.reauthentication,
    masterUrl,
    auditRecorder,
    nodes: deps.nodeAuthenticator,
    inFlight,
    serializerFor: deps.serializerFor ?? compileSerializer,
  })
  deps.routes(registerRoute, formRouteRegistrar(app, auditRecorder))
  registerUsageRoutes(registerRoute, deps.usage)
  registerApiDocs(app, { document: apiDocument })
  const upgrades = new Upgrades(app, log)
  registerSocketRoute(app, { access, sockets, masterUrl, upgrades, log })
  registerTunnelRoute(app, { ...deps, upgrades })
  await registerProxyRoutes(app, { access, requests, targets: deps.targets, auditRecorder, inFlight })
  registerThemeFiles(app, deps.themes)
  registerManifest(app, deps.companyName)
  await registerWebApp(app, webDir)
  await app.ready()
  return app
}

function logResponses(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, ip } = request
    const line = { method, route: routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ip }
    request.log.debug(line, 'answered')
    done()
  })
}

function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseRequestJson(String(text)))
    } catch (error) {
      done(error as Refusal)
    }
  })
  // Any other content type counts as no body; validation rejects the request if it needs one.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))
}
