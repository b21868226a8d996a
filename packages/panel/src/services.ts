import type { DeliveryResult } from '@innkeeper/contract/alerts/delivery-error'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import type { Logger } from 'pino'
import { activityLog } from './activity/activity.ts'
import { auditRecorder } from './activity/audit-recorder.ts'
import { AuditRateLimit } from './activity/rate-limit.ts'
import { alertsService } from './alerts/alerts.ts'
import { alertChannels } from './alerts/channels.ts'
import { alertConditions } from './alerts/conditions.ts'
import { nodeAlertsService } from './alerts/node-alerts.ts'
import { nodeEventsService } from './alerts/node-events.ts'
import { alertSender } from './alerts/sender.ts'
import { alertWorker } from './alerts/worker.ts'
import type { HashCost } from './auth/passwords.ts'
import { Clones } from './clones/clones.ts'
import type { Database, MailRow } from './database/schema.ts'
import type { DnsOptions } from './dns/dns-job.ts'
import { dnsNamesService } from './dns/dns-names.ts'
import { downloadsService } from './downloads/downloads.ts'
import { parseUntrustedJson } from './http/json.ts'
import { mailService } from './mail/mail.ts'
import { createMailer } from './mail/mailer.ts'
import { defaultProviderUrls } from './mail/providers.ts'
import { queuedMails } from './mail/queued-mails.ts'
import { mailWorker } from './mail/worker.ts'
import { type EvacuationOptions, Evacuations } from './moves/evacuations.ts'
import { type MoveOptions, Moves } from './moves/moves.ts'
import { availabilityService } from './nodes/availability.ts'
import { backupOverviewService } from './nodes/backup-overview.ts'
import { backupPlanService } from './nodes/backup-plan.ts'
import { backupRetentionService } from './nodes/backup-retention.ts'
import { backupTargetsService } from './nodes/backup-targets.ts'
import { NodeTunnels } from './nodes/client/node-tunnels.ts'
import { ticketSigner } from './nodes/client/tickets.ts'
import { enrolmentService } from './nodes/enrolment.ts'
import { joinTokensService } from './nodes/join-tokens.ts'
import { lockLocalNode } from './nodes/local-node-lock.ts'
import { moveTargets } from './nodes/move-targets.ts'
import { nodeAdminService } from './nodes/node-admin.ts'
import { nodeAuthenticator } from './nodes/node-authenticator.ts'
import { nodeRepository } from './nodes/node-repository.ts'
import type { LocalNode } from './nodes/node-views.ts'
import { nodesService } from './nodes/nodes.ts'
import { placementSettingsService } from './nodes/placement-settings.ts'
import { placementsService } from './nodes/placements.ts'
import { portsService } from './nodes/ports.ts'
import { nodeReports } from './nodes/reports.ts'
import { roomsService } from './nodes/rooms.ts'
import { signingKeys } from './nodes/signing-keys.ts'
import { notificationsService } from './notifications/notifications.ts'
import { ordersService } from './orders/orders.ts'
import { plansService } from './orders/plans.ts'
import { activityTargets } from './proxy/activity-targets.ts'
import { httpProxy } from './proxy/http-proxy.ts'
import { ActiveTransfers } from './proxy/transfers.ts'
import { WebSocketConnections } from './proxy/websocket-connections.ts'
import { rateLimiter } from './security/rate-limiter.ts'
import { extraPortsService } from './servers/extra-ports.ts'
import { serverListService } from './servers/server-list.ts'
import { serversService } from './servers/servers.ts'
import { suspensionsService } from './servers/suspensions.ts'
import { tagsService } from './servers/tags.ts'
import { unregisteredServers } from './servers/unregistered-servers.ts'
import { usageService } from './servers/usage.ts'
import { settingsService } from './settings/settings.ts'
import { fileChangesService } from './sftp/file-changes.ts'
import { sftpRelay } from './sftp/relay.ts'
import { taskPermissionsService } from './tasks/task-permissions.ts'
import { catalogService } from './templates/catalog.ts'
import { templatesService } from './templates/templates.ts'
import { themesService } from './themes/themes.ts'
import { userServices } from './user-services.ts'

/** Options of a panel that do not concern its listener. */
export interface ServiceOptions {
  /** The URL of the panel; by default taken from each request. */
  readonly masterUrl?: string | undefined
  /** Mirrors of external services, by lower-case name. */
  readonly upstream?: Readonly<Record<string, string>>
  readonly localNode?: LocalNode | undefined
  /** The port at which this panel serves SFTP of servers on nodes that users do not reach. */
  readonly sftpPort?: number | undefined
  /** The folder of bundled templates: `<name>/<name>.json` and `README.md`. */
  readonly templatesDir: string
  /** Private `host:port` that alerts may be sent to. */
  readonly alertAllow?: readonly string[]
  readonly version: string
  readonly log: Logger
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
  /** Interval at which the progress of clones is stored, in milliseconds. */
  readonly clonePollMs?: number | undefined
  /** How long a clone waits while its source's node reads too many other backups, in milliseconds. */
  readonly cloneBusyMs?: number | undefined
  /** Interval of looks for clones whose panel is gone, in milliseconds. */
  readonly cloneTakeoverMs?: number | undefined
  /** Times of moves of servers to other nodes. */
  readonly moves?: MoveOptions | undefined
  readonly evacuations?: EvacuationOptions | undefined
  /** Times of names of servers. */
  readonly dns?: DnsOptions | undefined
  /** Interval of looks for orders on which something is due, in milliseconds. */
  readonly orderPollMs?: number | undefined
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** The options, and what the services of all groups use. */
interface Context extends ServiceOptions {
  readonly db: Database
  readonly now: () => number
}

export type Services = Awaited<ReturnType<typeof createServices>>

/** Creates the services of a panel, in the order of their dependencies. */
export async function createServices(options: ServiceOptions, db: Database) {
  const context: Context = { ...options, db, now: options.now ?? Date.now }
  const common = commonServices(context)
  const users = userServices(context, { ...context, ...common })
  const nodes = await nodeServices(context, common)
  const servers = serverServices(context, { ...common, ...users, ...nodes })
  const checkAlerts = alertConditions({ ...context, ...common, ...nodes })
  return { ...context, ...common, ...users, ...nodes, ...servers, checkAlerts }
}

/** Settings, mail, alerts, audit log and rate limiter. */
function commonServices(context: Context) {
  const { db, masterUrl, upstream = {}, alertAllow = [], localNode, version, log, now } = context
  const limiter = rateLimiter({ db, now })
  const activity = activityLog({ db, now })
  const auditRateLimit = new AuditRateLimit({ activity, log, now })
  const settings = settingsService({ db, masterUrl, templateIndexUrl: upstream.templates, log, now })
  const post = createMailer({ settings, services: { ...defaultProviderUrls, ...upstream }, now })
  const sender = alertSender({ settings, sendMail: post, allow: alertAllow, version, now })
  const alertDeliveries = alertWorker({ db, sender, log, now })
  const nodeName = async (id: number, on = db) => {
    if (id === localNodeId) return localNode?.name
    return (await on.selectFrom('nodes').select('name').where('id', '=', id).executeTakeFirst())?.name
  }
  const availability = availabilityService({ db, nodeName, now })
  const alerts = alertsService({ db, availability, wake: () => alertDeliveries.wake(), now })
  const onEnd = async ({ recipient }: MailRow, { delivered, answer }: DeliveryResult) => {
    if (delivered) await alerts.resolve({ type: 'mailFailed' })
    else await alerts.report({ type: 'mailFailed', detail: `${recipient}: ${answer}` })
  }
  const mailDeliveries = mailWorker({ db, post, onEnd, log, now })
  const wake = () => mailDeliveries.wake()
  return {
    limiter,
    activity,
    auditRateLimit,
    auditRecorder: auditRecorder({ activity, auditRateLimit }),
    settings,
    availability,
    nodeName,
    alerts,
    nodeEvents: nodeEventsService({ db, alerts, nodeName, now }),
    fileChanges: fileChangesService({ db, activity, now }),
    nodeAlerts: nodeAlertsService({ db, settings, availability, nodeName }),
    alertDeliveries,
    alertChannels: alertChannels({ db, sender, now }),
    mailDeliveries,
    mail: mailService({ db, settings, post, wake, log, now }),
    queuedMails: queuedMails({ db, wake, now }),
    themes: themesService({ db, now }),
  }
}

/** Nodes, their keys, and the connections to them. */
async function nodeServices(
  { db, localNode, sftpPort, version, log, now }: Context,
  { limiter, settings, availability }: ReturnType<typeof commonServices>,
) {
  const repository = nodeRepository({ db, now })
  const reports = nodeReports({ db, repository, version, log, now })
  const keys = await signingKeys({ db, reports, now })
  const { publicJwk } = await keys.signing()
  if (localNode?.publicKey) await lockLocalNode({ db, publicKey: localNode.publicKey, now })
  const tickets = ticketSigner(keys, now)
  const tunnels = new NodeTunnels({ log })
  const masterUrl = settings.lastMasterUrl
  const placementSettings = placementSettingsService({ db, repository, now })
  const rooms = roomsService({ db, reports, placementSettings, now })
  const nodes = nodesService({
    ...{ localNode, sftpPort, repository, reports, availability, placementSettings, rooms },
    ...{ masterUrl, tickets, tunnels, log, now },
  })
  return {
    tunnels,
    placementSettings,
    rooms,
    publicJwk,
    repository,
    reports,
    keys,
    nodeAuthenticator: nodeAuthenticator({ db, limiter, onSkew: reports.saveClockSkew, now }),
    nodes,
    nodeAdmin: nodeAdminService({ db, repository, now }),
    ports: portsService({ db, nodes, repository, log, now }),
    backupTargets: backupTargetsService({ nodes }),
    backupOverview: backupOverviewService({ db, nodes, repository, reports, localNode }),
    backupPlan: backupPlanService({ db, nodes, repository, reports, localNode }),
    backupRetention: backupRetentionService({ db, repository, hasLocalNode: localNode !== undefined, now }),
    enrolment: enrolmentService({ db, repository, limiter, keys, now }),
    joinTokens: joinTokensService({ db, repository, limiter, keys, now }),
  }
}

/** Servers, templates, and the proxy to nodes. */
function serverServices(
  context: Context,
  services: ReturnType<typeof commonServices> &
    ReturnType<typeof userServices> &
    Awaited<ReturnType<typeof nodeServices>>,
) {
  const deps = { ...context, ...services }
  const templates = templatesService(deps)
  const getTemplate = async (name: string) => (await templates.get(name)).template
  const placements = placementsService({ ...deps, localNode: context.localNode, getTemplate })
  const moves = new Moves({ ...deps, ...context.moves })
  const usage = usageService(deps)
  const serverList = serverListService({ ...deps, usage })
  const servers = serversService({ ...deps, templates, placements, list: serverList })
  const suspensions = suspensionsService(deps)
  const plans = plansService({ ...deps, templates })
  const targets = activityTargets(deps)
  const transfers = new ActiveTransfers({ ...deps, recheckMs: context.socketRecheckMs })
  const requests = httpProxy({ ...deps, servers, transfers })
  return {
    templates,
    placements,
    catalog: catalogService({
      ...deps,
      templates,
      templateIndex: services.settings.templateIndex,
      parseJson: parseUntrustedJson,
    }),
    usage,
    unregisteredServers: unregisteredServers(deps),
    serverList,
    servers,
    clones: new Clones({
      ...deps,
      servers,
      pollMs: context.clonePollMs,
      takeoverMs: context.cloneTakeoverMs,
      maxBusyMs: context.cloneBusyMs,
    }),
    moves,
    evacuations: new Evacuations({
      ...deps,
      ...context.evacuations,
      moves,
      targets: moveTargets({ ...deps, localNode: context.localNode, getTemplate }),
    }),
    tags: tagsService(deps),
    notifications: notificationsService(deps),
    suspensions,
    extraPorts: extraPortsService(deps),
    dnsNames: dnsNamesService({ ...deps, templates, ...context.dns }),
    plans,
    orders: ordersService({ ...deps, placements, pollMs: context.orderPollMs, templates, servers, suspensions, plans }),
    taskPermissions: taskPermissionsService(deps),
    targets,
    sockets: new WebSocketConnections({
      ...deps,
      targets,
      pingEveryMs: context.socketPingEveryMs,
      recheckMs: context.socketRecheckMs,
    }),
    transfers,
    requests,
    sftpRelay: sftpRelay(deps),
    downloads: downloadsService({ ...deps, requests }),
  }
}
