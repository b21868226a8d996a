import { randomUUID } from 'node:crypto'
import helmet from '@fastify/helmet'
import { requireOneHost } from '@innkeeper/contract/host-header'
import { limits } from '@innkeeper/contract/limits'
import type { Refusal } from '@innkeeper/contract/refusals'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Serve, ServeForm } from '../access/serve.ts'
import type { Witness } from '../activity/witness.ts'
import type { NodeProofs } from '../nodes/node-proofs.ts'
import type { ActivityTargets } from '../proxy/activity-targets.ts'
import type { LiveSockets } from '../proxy/live-sockets.ts'
import type { RequestsService } from '../proxy/requests.ts'
import type { ThemesService } from '../themes/themes.ts'
import { serveApiDocs } from './api-docs.ts'
import { answerError } from './errors.ts'
import { servingForms } from './forms.ts'
import { parseJson } from './json.ts'
import { serveManifest } from './manifest.ts'
import { serveProxy } from './proxy-routes.ts'
import { type ProxyTrust, proxyTrust, type ServerUids } from './proxy-trust.ts'
import { RequestsInFlight } from './requests-in-flight.ts'
import { serving } from './serve.ts'
import { serveSockets } from './socket-route.ts'
import { serveThemeFiles } from './theme-files.ts'
import { serveWebApp } from './web-app.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly proxyTrust: ProxyTrust
  }
}

interface Needs {
  readonly access: AccessService
  readonly requests: RequestsService
  readonly sockets: LiveSockets
  readonly targets: ActivityTargets
  readonly masterUrl: () => string | undefined
  /** Sees what people do. */
  readonly witness: Witness
  readonly nodes: Pick<NodeProofs, 'prove'>
  readonly trustProxy: readonly string[]
  readonly serverUids: ServerUids | undefined
  readonly themes: Pick<ThemesService, 'archive'>
  readonly companyName: () => Promise<string>
  readonly webDir: string | undefined
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** How long the rest of an upload is read after the answer was sent. */
  readonly lingerMs?: number | undefined
  readonly log: Logger
  /** The calls, described for programs. */
  readonly apiDocument: () => Promise<unknown>
  /** Registers every call that the panel serves itself. */
  readonly routes: (serve: Serve, serveForm: ServeForm) => void
}

/** The HTTP side of the panel. */
export type Listener = FastifyInstance

/** Builds the listener from its parts; it answers injected requests, and the network once it listens. */
export async function createListener(needs: Needs): Promise<Listener> {
  const {
    access,
    requests,
    sockets,
    masterUrl,
    witness,
    nodes,
    apiDocument,
    trustProxy,
    serverUids,
    webDir,
    tls,
    log,
  } = needs
  // Other upgrades (curl asks for h2c) are plain requests to us.
  // The path of a file may be long.
  const http = { shouldUpgradeCallback: isForSocket, maxHeaderSize: limits.headBytes }
  const trust = proxyTrust({ proxies: trustProxy, serverUids, log })
  const options = {
    loggerInstance: log as FastifyBaseLogger,
    trustProxy: trust.isProxy,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle' as const,
    // What comes while we close is served like anything else; the database is closed last.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2_048 },
    exposeHeadRoutes: true,
    frameworkErrors: answerError,
  }
  // The kinds of listener differ in their type only by their server, which we use for what both have.
  const app = (tls
    ? Fastify({ ...options, https: { ...tls, ...http } })
    : Fastify({ ...options, http })) as unknown as Listener

  app.decorate('proxyTrust', trust)
  trust.watch(app.server, tls !== undefined)
  trust.guard(app)
  app.addHook('onRoute', (route) => {
    if (!route.config?.access) throw new Error(`${String(route.method)} ${route.url} has no access rule.`)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    requireOneHost(request.raw.rawHeaders)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, ip } = request
    const line = { method, route: routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ip }
    request.log.debug(line, 'answered')
  })
  app.setErrorHandler(answerError)
  await app.register(helmet, protections)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseJson(String(text)))
    } catch (error) {
      done(error as Refusal)
    }
  })
  // Anything else counts as no body: a call that needs one says so.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))

  const inFlight = new RequestsInFlight()
  needs.routes(serving({ app, access, masterUrl, witness, nodes, inFlight }), servingForms(app, witness))
  serveApiDocs(app, { document: apiDocument })
  serveSockets(app, { access, sockets, masterUrl, log })
  await serveProxy(app, { access, requests, targets: needs.targets, witness, inFlight, lingerMs: needs.lingerMs })
  serveThemeFiles(app, needs.themes)
  serveManifest(app, needs.companyName)
  await serveWebApp(app, webDir)
  await app.ready()
  return app
}

/** The web app needs nothing from anywhere else, and no script but its own files. */
const protections = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      scriptSrcAttr: ["'none'"],
      // The component library writes style attributes and one style element.
      styleSrc: ["'self'", "'unsafe-inline'"],
      // Images of a server's files are fetched with the bearer token and shown from memory.
      imgSrc: ["'self'", 'data:', 'blob:'],
      fontSrc: ["'self'"],
      // That includes the live socket of the same host, see Content Security Policy Level 3.
      connectSrc: ["'self'"],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      // Plain http on a home network is a supported way to run.
      upgradeInsecureRequests: null,
    },
  },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  xFrameOptions: { action: 'deny' as const },
  referrerPolicy: { policy: 'same-origin' as const },
}

export function isForSocket(request: { headers: { upgrade?: string | undefined } }): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket'
}
