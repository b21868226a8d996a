import { limits } from '@innkeeper/contract/limits'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import { accessService } from './access/access.ts'
import { accountService } from './account/account.ts'
import { accountRoutes } from './account/routes.ts'
import { activityLog } from './activity/activity.ts'
import { auditRecorder } from './activity/audit-recorder.ts'
import { AuditRateLimit } from './activity/rate-limit.ts'
import { ActivityRetention } from './activity/retention.ts'
import { activityRoutes } from './activity/routes.ts'
import { documentedCalls, openApiOf } from './api-docs/openapi.ts'
import { authService, type NewAccount } from './auth/auth.ts'
import { passwordVerifier } from './auth/password-verifier.ts'
import { type HashCost, passwords } from './auth/passwords.ts'
import { pendingLogins } from './auth/pending-logins.ts'
import { PrincipalCache } from './auth/principal-cache.ts'
import { rateLimiter } from './auth/rate-limiter.ts'
import { reauthentication } from './auth/reauthentication.ts'
import { authRoutes } from './auth/routes.ts'
import { sessionsService } from './auth/sessions.ts'
import { tokenResolver } from './auth/token-resolver.ts'
import { twoFactorService } from './auth/two-factor.ts'
import { type BackUpServer, openDatabase } from './database/database.ts'
import type { Database } from './database/schema.ts'
import { downloadsService } from './downloads/downloads.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { healthRoutes } from './http/health.ts'
import { parseJson } from './http/json.ts'
import { createListener, type Listener } from './http/listener.ts'
import { listenerUrl } from './http/listener-url.ts'
import { listenForNode } from './http/node-listener.ts'
import { listenForProxy } from './http/proxy-listener.ts'
import type { ServerUids } from './http/proxy-trust.ts'
import { invitesService } from './invites/invites.ts'
import { inviteRoutes } from './invites/routes.ts'
import { mailService } from './mail/mail.ts'
import { createMailer } from './mail/mailer.ts'
import { defaultProviderUrls } from './mail/providers.ts'
import { mailRoutes } from './mail/routes.ts'
import { MailWorker } from './mail/worker.ts'
import { enrolmentService } from './nodes/enrolment.ts'
import { lockLocalNode } from './nodes/local-node-lock.ts'
import { nodeAuthenticator } from './nodes/node-authenticator.ts'
import { nodeRepository } from './nodes/node-repository.ts'
import { type LocalNode, nodesService } from './nodes/nodes.ts'
import { portsService } from './nodes/ports.ts'
import { nodeReports } from './nodes/reports.ts'
import { nodeRoutes } from './nodes/routes.ts'
import { signingKeys } from './nodes/signing-keys.ts'
import { ticketSigner } from './nodes/tickets.ts'
import { clientsService } from './oauth2/clients.ts'
import { grantsService } from './oauth2/grants.ts'
import { oauth2Routes } from './oauth2/routes.ts'
import { passwordReset } from './password-reset/password-reset.ts'
import { passwordResetRoutes } from './password-reset/routes.ts'
import { activityTargets } from './proxy/activity-targets.ts'
import { httpProxy } from './proxy/http-proxy.ts'
import { ActiveTransfers } from './proxy/transfers.ts'
import { WebSocketConnections } from './proxy/websocket-connections.ts'
import { registerRoutes } from './routing/route-table.ts'
import { serverUserRoutes } from './server-users/routes.ts'
import { serverUsersService } from './server-users/server-users.ts'
import { deleteServers } from './servers/removal.ts'
import { serverRoutes } from './servers/routes.ts'
import { serverListService } from './servers/server-list.ts'
import { serversService } from './servers/servers.ts'
import { tagsService } from './servers/tags.ts'
import { UnfinishedServers } from './servers/unfinished-servers.ts'
import { usageService } from './servers/usage.ts'
import { lastBackupAt } from './settings/last-backup.ts'
import { settingsRoutes } from './settings/routes.ts'
import { panelConfig, settingsService } from './settings/settings.ts'
import { sftpRoutes } from './sftp/routes.ts'
import { sftpService } from './sftp/sftp.ts'
import { sshKeyRoutes } from './ssh-keys/routes.ts'
import { sshKeysService } from './ssh-keys/ssh-keys.ts'
import { taskRoutes } from './tasks/routes.ts'
import { taskPermissionsService } from './tasks/task-permissions.ts'
import { catalogueService } from './templates/catalogue.ts'
import { templateRoutes } from './templates/routes.ts'
import { seedTemplates } from './templates/seed.ts'
import { templatesService } from './templates/templates.ts'
import { themeRoutes } from './themes/routes.ts'
import { themesService } from './themes/themes.ts'
import { emailConfirmation } from './users/email-confirmation.ts'
import { userRoutes } from './users/routes.ts'
import { userAdminService } from './users/user-admin.ts'

/** Options of a panel. */
export interface PanelOptions {
  /** `sqlite:<path>`, `postgres://…` or `mariadb://…`. */
  readonly databaseUrl: string
  readonly host: string
  readonly port: number
  /** The URL of the panel; by default taken from each request. */
  readonly masterUrl?: string | undefined
  /** The page for translators; by default the documentation in the app. */
  readonly translationUrl?: string | undefined
  /** Mirrors of external services, by lower-case name. */
  readonly upstream?: Readonly<Record<string, string>>
  /** Addresses or networks of trusted proxies. */
  readonly trustProxy?: readonly string[]
  /** Users that run servers on this machine: their processes are never trusted as proxies. */
  readonly serverUids?: ServerUids | undefined
  /** Unix socket for a proxy on this machine, in a folder that servers cannot enter. */
  readonly proxySocket?: string | undefined
  readonly localNode?: LocalNode | undefined
  /** The folder of the built web app. */
  readonly webDir?: string | undefined
  /** The folder of bundled templates: `<name>/<name>.json` and `README.md`. */
  readonly templatesDir: string
  /** The first administrator of an unattended setup. */
  readonly admin?: NewAccount | undefined
  /** TLS certificate and key, PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  readonly version: string
  readonly log: Logger
  /** Backs up a database on a server before its migration. */
  readonly backUpServer?: BackUpServer | undefined
  /** Cost of password hashes. */
  readonly passwordCost?: HashCost | undefined
  /** Interval of pings to viewers of live sockets. */
  readonly socketPingEveryMs?: number | undefined
  /** Interval of re-authorization of open sockets, uploads and downloads. */
  readonly socketRecheckMs?: number | undefined
  /** Timeout of calls to a node that a request waits for, in milliseconds. */
  readonly nodeCallMs?: number | undefined
  /** Timeout of reading the usage of servers from the local node, in milliseconds. */
  readonly nodeUsageMs?: number | undefined
  /** How long the rest of an upload is read after the response was sent. */
  readonly lingerMs?: number | undefined
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** A panel; it listens after `listen()`. */
export interface Panel {
  /** The public key for tickets, as it was at the start. */
  readonly publicJwk: JWK
  /** The setup code for the first administrator; absent when there is one. */
  readonly setupCode: string | undefined
  /** The Fastify instance, for injected requests. */
  readonly app: Listener
  listen(): Promise<{ readonly url: string }>
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
  const {
    host,
    port,
    masterUrl,
    translationUrl,
    trustProxy = [],
    localNode,
    webDir,
    templatesDir,
    admin,
    tls,
    version,
    log,
  } = options
  const now = options.now ?? Date.now
  const { upstream = {}, socketPingEveryMs, socketRecheckMs, nodeCallMs, nodeUsageMs, lingerMs } = options

  const principalCache = new PrincipalCache(now)
  const sessions = sessionsService({ db, now, cache: principalCache })
  const limiter = rateLimiter({ db, now })
  const passwordHashing = passwords({ cost: options.passwordCost })
  const activity = activityLog({ db, now })
  const limitedActivity = new AuditRateLimit({ activity, log, now })
  const recorder = auditRecorder({ activity, auditRateLimit: limitedActivity })
  const settings = settingsService({ db, masterUrl, log, now })
  const post = createMailer({ settings, services: { ...defaultProviderUrls, ...upstream }, now })
  const mailWorker = new MailWorker({ db, post, log, now })
  const mail = mailService({ db, settings, post, wake: () => mailWorker.wake(), log, now })
  const invites = invitesService({ db, mail, passwords: passwordHashing, limiter, sessions, now })
  const reset = passwordReset({ db, mail, passwords: passwordHashing, sessions, limiter, log, now })
  const confirmation = emailConfirmation({ db, mail, sessions, limiter, now })
  const current = reauthentication({ db, passwords: passwordHashing, limiter, now })
  const clients = clientsService({ db, cache: principalCache, mail, reauthentication: current, now })
  const resolver = tokenResolver({ sessions, clients })
  const access = accessService({ db, resolveToken: resolver.resolve })
  const twoFactor = twoFactorService({ db, limiter, mail, issuer: settings.companyName, now })
  const verifier = passwordVerifier({ db, limiter, passwords: passwordHashing })
  const people = {
    db,
    sessions,
    limiter,
    passwords: passwordHashing,
    passwordVerifier: verifier,
    twoFactor,
    mail,
    emailConfirmation: confirmation,
    reauthentication: current,
    now,
  }
  const repository = nodeRepository({ db, now })
  const reports = nodeReports({ db, repository, version, log, now })
  const keys = await signingKeys({ db, reports, now })
  const { publicJwk } = await keys.signing()
  const proofs = nodeAuthenticator({ db, limiter, onSkew: reports.saveClockSkew, now })
  if (localNode?.publicKey) await lockLocalNode({ db, publicKey: localNode.publicKey, now })
  const auth = authService({ ...people, pending: pendingLogins({ db, now }), settings })
  const tickets = ticketSigner(keys, now)
  const nodes = nodesService({ localNode, repository, reports, masterUrl: settings.lastMasterUrl, tickets, log, now })
  const enrolment = enrolmentService({ db, repository, limiter, keys, now })
  const templates = templatesService({ db, log })
  const indexUrl = upstream.templates
  const catalogue = catalogueService({ templates, templatesDir, indexUrl, parseJson, version, log, now })
  const themes = themesService({ db, now })
  const usage = usageService({ access, nodes, reports, log, nodeUsageMs })
  const serverList = serverListService({ db, access, nodes, usage })
  const servers = serversService({ db, nodes, templates, mail, limiter, list: serverList, log, now })
  const targets = activityTargets({ access, nodes, log })
  const sockets = new WebSocketConnections({
    access,
    resolveUncached: resolver.resolveUncached,
    nodes,
    targets,
    auditRecorder: recorder,
    pingEveryMs: socketPingEveryMs,
    recheckMs: socketRecheckMs,
    log,
  })

  const passes = new ActiveTransfers({
    access,
    resolveUncached: resolver.resolveUncached,
    log,
    recheckMs: socketRecheckMs,
  })
  const requests = httpProxy({ access, nodes, servers, passes, log, nodeCallMs })
  const downloads = downloadsService({ db, access, resolveUncached: resolver.resolveUncached, requests, now })

  // The panel's own settings are read before the first request.
  await settings.current()
  await seedTemplates({ db, templatesDir, log })
  if (admin) await auth.createUnattended(admin)
  const setupCode = await auth.issueSetupCode()

  const app = await createListener({
    access,
    requests,
    sockets,
    targets,
    masterUrl: settings.lastMasterUrl,
    auditRecorder: recorder,
    nodes: proofs,
    apiDocument: async () => openApiOf({ calls: documentedCalls, version, title: await settings.companyName() }),
    trustProxy,
    serverUids: options.serverUids,
    themes,
    companyName: settings.companyName,
    webDir,
    tls,
    lingerMs,
    log,
    routes: (app, forms) =>
      registerRoutes(app, forms, (registerRoute, registerFormRoute) => {
        authRoutes(registerRoute, auth)
        accountRoutes(registerRoute, { accounts: accountService(people), auth, emails: confirmation })
        userRoutes(registerRoute, userAdminService(people), confirmation)
        oauth2Routes(registerRoute, registerFormRoute, clients, grantsService({ clients, limiter }))
        serverRoutes(registerRoute, { servers, list: serverList, tags: tagsService({ db }), usage })
        serverUserRoutes(registerRoute, serverUsersService({ db, invites, mail, sessions }))
        downloadRoutes(registerRoute, downloads)
        const ports = portsService({ db, nodes, repository, log })
        const lastMasterUrl = settings.lastMasterUrl
        const deleteServersBy = (by: number) => deleteServers({ mail, by })
        nodeRoutes(registerRoute, {
          nodes,
          repository,
          enrolment,
          limiter,
          ports,
          keys,
          masterUrl: lastMasterUrl,
          deleteServersBy,
          now,
        })
        sftpRoutes(registerRoute, sftpService(people))
        taskRoutes(registerRoute, taskPermissionsService({ db }))
        sshKeyRoutes(registerRoute, sshKeysService(people))
        templateRoutes(registerRoute, { templates, catalogue, countServers: serverList.countByTemplate, nodes })
        const { setupNeeded } = auth
        const config = panelConfig({
          settings,
          themes,
          version,
          translationUrl,
          setupNeeded,
          isMailReady: mail.isReady,
        })
        settingsRoutes(registerRoute, { settings, themes, config, mail, lastBackupAt: () => lastBackupAt(db) })
        themeRoutes(registerRoute, themes)
        mailRoutes(registerRoute, mail)
        inviteRoutes(registerRoute, { db, invites, auth })
        passwordResetRoutes(registerRoute, reset)
        activityRoutes(registerRoute, activity)
        healthRoutes(registerRoute, { db, nodes })
      }),
  })

  const unfinishedServers = new UnfinishedServers({ db, nodes, log, now })
  const purge = new ActivityRetention({ activity, log })
  let forProxy: Awaited<ReturnType<typeof listenForProxy>> | undefined
  let forNode: Awaited<ReturnType<typeof listenForNode>> | undefined
  mailWorker.start()

  return {
    publicJwk,
    setupCode,
    app,

    async listen() {
      await app.listen({ host, port })
      if (options.proxySocket !== undefined) forProxy = await listenForProxy(app, options.proxySocket)
      if (localNode?.panelSocketPath) forNode = await listenForNode(app, localNode.panelSocketPath)
      // Port 0 selects a free one.
      const address = app.server.address()
      const at = typeof address === 'object' && address ? address.port : port
      return { url: masterUrl ?? listenerUrl({ host, port: at, isSecure: tls !== undefined }) }
    },

    /** Waits for requests in progress and aborts them after a timeout. */
    async close() {
      const cutOff = setTimeout(() => app.server.closeAllConnections(), limits.requestsEndMs)
      try {
        await Promise.all([
          app.close(),
          forNode?.close(),
          forProxy?.close(),
          sockets.close(),
          mailWorker.close(),
          purge.close(),
          unfinishedServers.close(),
        ])
        await Promise.all([reset.drain(), limitedActivity.close()])
      } finally {
        clearTimeout(cutOff)
        await nodes.close()
        await db.destroy()
      }
    },
  }
}
