import { type ConnectionLimits, connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import type { HttpTimeouts } from '@innkeeper/contract/http/http-connections'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { MetricsAccess } from '@innkeeper/contract/settings/metrics-format'
import { limits } from '@innkeeper/contract/text/limits'
import type { JWK } from 'jose'
import type { OpenMetricsContentType, Registry } from 'prom-client'
import { activityRetention } from './activity/retention.ts'
import { documentedCalls, getOpenApi } from './api-docs/openapi.ts'
import type { NewAccount } from './auth/auth.ts'
import { type BackUpServer, openDatabase } from './database/database.ts'
import { isDatabaseError } from './database/errors.ts'
import type { Database } from './database/schema.ts'
import { createListener, type Listener } from './http/listener.ts'
import { listenerUrl } from './http/listener-url.ts'
import { listenForNode } from './http/node-listener.ts'
import { listenForProxy } from './http/proxy-listener.ts'
import type { ServerUids } from './http/proxy-trust.ts'
import { panelMetrics } from './metrics/panel-metrics.ts'
import { panelRoutes } from './routes.ts'
import { registerRoutes } from './routing/route-table.ts'
import { endedAccess } from './server-users/ended-access.ts'
import { unfinishedServers } from './servers/unfinished-servers.ts'
import { createServices, type ServiceOptions, type Services } from './services.ts'
import type { SftpRelay } from './sftp/relay.ts'
import { seedTemplates } from './templates/seed.ts'

/** Options of a panel. */
export interface PanelOptions extends ServiceOptions {
  /** `sqlite:<path>`, `postgres://…` or `mariadb://…`. */
  readonly databaseUrl: string
  readonly host: string
  readonly port: number
  /** The page for translators; by default the documentation in the app. */
  readonly translationUrl?: string | undefined
  /** Addresses or networks of trusted proxies. */
  readonly trustProxy?: readonly string[]
  /** Users that run servers on this machine: their processes are never trusted as proxies. */
  readonly serverUids?: ServerUids | undefined
  /** Unix socket for a proxy on this machine, in a folder that servers cannot enter. */
  readonly proxySocket?: string | undefined
  /** The folder of the built web app. */
  readonly webDir?: string | undefined
  /** The first administrator of an unattended setup. */
  readonly admin?: NewAccount | undefined
  /** TLS certificate and key, PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Receives the metrics of this panel, which serves them. */
  readonly metrics?: { readonly registry: Registry<OpenMetricsContentType>; readonly access: MetricsAccess } | undefined
  /** Backs up a database on a server before its migration. */
  readonly backUpServer?: BackUpServer | undefined
  /** By default those of a process that may have 65,536 files open. */
  readonly connectionLimits?: ConnectionLimits | undefined
  readonly timeouts?: HttpTimeouts | undefined
  /** How long the rest of an upload is read after the response was sent. */
  readonly lingerMs?: number | undefined
  /** Compiles the serializer of a response. */
  readonly serializerFor?: Parameters<typeof createListener>[0]['serializerFor']
}

/** A panel; it listens after `listen()`. */
export interface Panel {
  /** The public key for tickets, as it was at the start. */
  readonly publicJwk: JWK
  /** The setup code for the first administrator; absent when there is one. */
  readonly setupCode: string | undefined
  /** The Fastify instance, for injected requests. */
  readonly app: Listener
  /** Serves SFTP of servers on all nodes. */
  readonly sftpRelay: SftpRelay
  listen(): Promise<{ readonly url: string }>
  /** The names of servers by ID. */
  serverNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  close(): Promise<void>
}

/** Opens and migrates the database, and creates a panel on it. */
export async function createPanel(options: PanelOptions): Promise<Panel> {
  const db = await openDatabase(options.databaseUrl, options.log, options.backUpServer)
  try {
    return await buildPanel(options, db)
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function buildPanel(options: PanelOptions, db: Database): Promise<Panel> {
  const { host, port, masterUrl, translationUrl, localNode, tls, version, log } = options
  const services = await createServices(options, db)
  const { settings, setup, nodes } = services

  // The panel's own settings are read before the first request.
  await settings.current()
  await seedTemplates({ db, templatesDir: options.templatesDir, log })
  if (options.admin) await setup.createUnattended(options.admin)
  const setupCode = await setup.issueSetupCode()

  const app = await createListener({
    ...options,
    ...services,
    masterUrl: settings.lastMasterUrl,
    apiDocument: async () => getOpenApi({ calls: documentedCalls, version, title: await settings.companyName() }),
    trustProxy: options.trustProxy ?? [],
    companyName: settings.companyName,
    connectionLimits: options.connectionLimits ?? connectionLimits().panel,
    metrics: options.metrics && {
      access: options.metrics.access,
      metrics: panelMetrics({ ...services, registry: options.metrics.registry }),
    },
    routes: (registerRoute, registerFormRoute) =>
      registerRoutes(registerRoute, registerFormRoute, (route, formRoute) =>
        panelRoutes(route, formRoute, { services, version, translationUrl }),
      ),
  })

  const jobs = createJobs(services, db)
  for (const job of jobs) job.start()
  let forProxy: Awaited<ReturnType<typeof listenForProxy>> | undefined
  let forNode: Awaited<ReturnType<typeof listenForNode>> | undefined

  return {
    publicJwk: services.publicJwk,
    setupCode,
    app,
    sftpRelay: services.sftpRelay,

    async listen() {
      await app.listen({ host, port })
      if (options.proxySocket !== undefined) forProxy = await listenForProxy(app, options.proxySocket)
      if (localNode?.panelSocketPath) forNode = await listenForNode(app, localNode.panelSocketPath)
      // Port 0 selects a free one.
      const address = app.server.address()
      const at = typeof address === 'object' && address ? address.port : port
      return { url: masterUrl ?? listenerUrl({ host, port: at, isSecure: tls !== undefined }) }
    },

    serverNames: (ids) => readServerNames(db, ids),

    /** Waits for requests in progress and aborts them after a timeout. */
    async close() {
      // Otherwise the listener would wait for them.
      services.tunnels.closeAll()
      const cutOff = setTimeout(() => app.server.closeAllConnections(), limits.requestsEndMs)
      try {
        await Promise.all([
          app.close(),
          forNode?.close(),
          forProxy?.close(),
          services.sockets.close(),
          services.clones.close(),
          services.moves.close(),
          services.evacuations.close(),
          services.transfers.close(),
          ...jobs.map((job) => job.close()),
        ])
        await Promise.all([services.passwordReset.drain(), services.auditRateLimit.close()])
      } finally {
        clearTimeout(cutOff)
        await nodes.close()
        await db.destroy()
      }
    },
  }
}

/** The jobs of a panel, not yet started. */
function createJobs(services: Services, db: Database) {
  const { activity, nodes, log, now } = services
  return [
    services.mailDeliveries,
    services.alertDeliveries,
    new PeriodicJob({
      everyMs: limits.alertEveryMs,
      run: services.checkAlerts,
      onError: (err) =>
        log[isDatabaseError(err) ? 'debug' : 'error']({ err }, 'checking the conditions of alerts failed'),
    }),
    unfinishedServers({ db, nodes, log, now }),
    services.suspensions.cleanup(),
    services.orders.job,
    services.dnsNames.job,
    endedAccess({ ...services, db }),
    activityRetention({ activity, log }),
  ]
}

async function readServerNames(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('servers').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
