import type { FileChange } from '@innkeeper/contract/activity/file-changes'
import * as backupPlanCalls from '@innkeeper/contract/backups/backup-plan'
import * as backupTargetCalls from '@innkeeper/contract/backups/backup-targets'
import { getBackupOverview, getNodeBackups } from '@innkeeper/contract/backups/node-backups'
import { validationError } from '@innkeeper/contract/definitions/validate'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { TokenBucket } from '@innkeeper/contract/jobs/token-bucket'
import type { NodeAlerts } from '@innkeeper/contract/node-link/node-alerts'
import type { NodeEvent } from '@innkeeper/contract/node-link/node-events'
import * as nodePanel from '@innkeeper/contract/node-link/node-to-panel'
import * as joinTokenCalls from '@innkeeper/contract/nodes/join-tokens'
import { putNodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import * as nodePorts from '@innkeeper/contract/nodes/node-ports'
import * as calls from '@innkeeper/contract/nodes/nodes'
import * as placementCalls from '@innkeeper/contract/nodes/placement'
import type { ServerSuspension } from '@innkeeper/contract/servers/suspension'
import { requireDeleteAllServers } from '../access/access.ts'
import { getVersion } from '../database/versions.ts'
import type { ClientInfo, RegisterRoute } from '../routing/route-context.ts'
import type { AvailabilityService } from './availability.ts'
import type { BackupOverviewService } from './backup-overview.ts'
import type { BackupPlanService } from './backup-plan.ts'
import type { BackupRetentionService } from './backup-retention.ts'
import type { BackupTargetsService } from './backup-targets.ts'
import type { EnrolmentService } from './enrolment.ts'
import type { JoinTokensService } from './join-tokens.ts'
import type { DeleteServers, NodeAdminService } from './node-admin.ts'
import { getEditablePart } from './node-repository.ts'
import type { NodesService } from './nodes.ts'
import type { PlacementSettingsService } from './placement-settings.ts'
import type { PlacementsService } from './placements.ts'
import type { PortsService } from './ports.ts'
import type { RoomsService } from './rooms.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Reports of a node to this panel. */
export const reportRate = { burst: 100, perSecond: 5 } as const
const maxReportBytes = 8 * 1024 * 1024

interface Deps {
  readonly nodes: NodesService
  readonly nodeAdmin: NodeAdminService
  readonly availability: Pick<AvailabilityService, 'put'>
  readonly placementSettings: PlacementSettingsService
  readonly rooms: RoomsService
  readonly placements: PlacementsService
  readonly enrolment: EnrolmentService
  readonly joinTokens: JoinTokensService
  readonly ports: PortsService
  readonly backupTargets: BackupTargetsService
  readonly backupOverview: BackupOverviewService
  readonly backupPlan: BackupPlanService
  readonly backupRetention: BackupRetentionService
  readonly keys: Pick<SigningKeys, 'signedKeySets'>
  /** Receives the events of nodes. */
  readonly nodeEvents: { receive(nodeId: number, events: readonly NodeEvent[]): Promise<void> }
  /** Records the changes over SFTP. */
  readonly fileChanges: { receive(nodeId: number, changes: readonly FileChange[]): Promise<void> }
  /** What nodes need to send alerts themselves. */
  readonly nodeAlerts: { changed(nodeId: number, version: string): Promise<NodeAlerts | undefined> }
  /** Finds suspensions that a node does not have. */
  readonly suspensions: {
    findChanges(nodeId: number, reported: readonly ServerSuspension[]): Promise<ServerSuspension[]>
  }
  readonly masterUrl: () => string | undefined
  /** Deletes servers from the panel on behalf of a user. */
  readonly deleteServersBy: (userId: number) => DeleteServers
  readonly now: () => number
}

export function nodeRoutes(registerRoute: RegisterRoute, deps: Deps): void {
  const { nodes, nodeAdmin, availability, enrolment, ports, keys, masterUrl, deleteServersBy, now } = deps
  const { backupTargets, backupOverview, backupPlan, backupRetention, nodeEvents, fileChanges, nodeAlerts } = deps
  const { suspensions } = deps
  registerRoute(calls.listNodes, ({ client }) => nodes.list(client))
  registerRoute(calls.getNode, async ({ params, client, preconditions }) => {
    const node = await nodes.get(params.id, client)
    preconditions.setVersion(getVersion(getEditablePart(node)))
    return node
  })
  registerRoute(calls.createNode, async ({ body, client, audit }) =>
    nodes.get((await nodeAdmin.add(body, audit)).id, client),
  )
  registerRoute(calls.editNode, ({ params, body, preconditions, audit }) =>
    nodeAdmin.edit(params.id, body, audit, preconditions.expectedVersion),
  )
  registerRoute(calls.deleteNode, ({ principal, params, query, audit }) => {
    if (!query.force) return nodeAdmin.remove(params.id, audit)
    requireDeleteAllServers(principal)
    return nodeAdmin.remove(params.id, audit, deleteServersBy(principal.userId))
  })
  registerRoute(putNodeAvailability, ({ params, body, audit }) => availability.put(params.id, body, audit))
  placementRoutes(registerRoute, deps)
  registerRoute(calls.getNodeFeatures, ({ params }) => nodes.readFeatures(params.id))
  registerRoute(getBackupOverview, ({ query }) => backupOverview.overview(query.node))
  registerRoute(getNodeBackups, ({ params }) => nodes.readBackupUsage(params.id))
  backupTargetRoutes(registerRoute, backupTargets)
  registerRoute(backupPlanCalls.getBackupPlan, ({ query }) => backupPlan.plan(query.node))
  backupRetentionRoutes(registerRoute, backupRetention)
  registerRoute(calls.listNodeChoices, ({ client }) => nodes.choices(client))

  registerRoute(nodePorts.getNodePorts, async ({ params, preconditions }) => {
    const found = await ports.get(params.id)
    preconditions.setVersion(getVersion(found.ranges))
    return found
  })
  registerRoute(nodePorts.putNodePorts, ({ params, body, preconditions, audit }) =>
    ports.put(params.id, body.ranges, audit, preconditions.expectedVersion),
  )
  registerRoute(nodePorts.findFreePorts, ({ params, query: { count, instead } }) =>
    instead === undefined ? ports.free(params.id, count) : ports.replace(params.id, instead.split(',').map(Number)),
  )
  registerRoute(nodePorts.checkPort, ({ params, query, principal }) => ports.check(params.id, query, principal))

  const panelUrl = (from: ClientInfo) => masterUrl() ?? `${from.isSecure ? 'https' : 'http'}://${from.host}`
  registerRoute(calls.getNodeDeployment, ({ params, client, audit }) =>
    enrolment.deployment(params.id, panelUrl(client), audit),
  )
  registerRoute(calls.replaceNodeSecret, async ({ params, client, audit }) => {
    await nodeAdmin.replaceSecret(params.id, audit)
    return enrolment.deployment(params.id, panelUrl(client), audit)
  })
  const { joinTokens } = deps
  registerRoute(joinTokenCalls.listJoinTokens, () => joinTokens.list())
  registerRoute(joinTokenCalls.createJoinToken, ({ body, client, principal, audit }) =>
    joinTokens.create({ ...body, createdBy: principal.username, panelUrl: panelUrl(client) }, audit),
  )
  registerRoute(joinTokenCalls.revokeJoinToken, ({ params, audit }) => joinTokens.revoke(params.token, audit))
  registerRoute(nodePanel.joinNode, ({ body, client, audit }) => joinTokens.join(body, client.address, audit))
  registerRoute(nodePanel.enrolNode, ({ body, client, audit }) => enrolment.enrol(body, client.address, audit))
  registerRoute(
    nodePanel.reportNode,
    async ({ nodeId, body }) => {
      const report = nodePanel.NodeReport.safeParse(body, { reportInput: true })
      if (!report.success || !nodePanel.understandsProtocol(report.data.protocol)) {
        await nodes.reportedUnknown(nodeId)
        throw report.success ? new Refusal('ErrFieldInvalid', { field: 'protocol' }) : validationError(report.error)
      }
      const retention = await backupRetention.forNode(nodeId)
      await nodes.report(nodeId, report.data)
      const { events = [], fileChanges: changes = [], alerts, suspensions: suspended } = report.data
      // An event of a type that only the node knows is accepted, so that it does not stop those after it.
      await nodeEvents.receive(
        nodeId,
        events.filter((event) => event !== null),
      )
      await fileChanges.receive(
        nodeId,
        changes.filter((change) => change !== null),
      )
      return {
        protocol: nodePanel.protocol,
        atMs: now(),
        keys: await keys.signedKeySets(),
        events: events.length,
        fileChanges: changes.length,
        ...retention,
        ...((await nodes.needsTunnel(nodeId)) && { needsTunnel: true }),
        // After the events, which begin and end alerts.
        ...(alerts !== undefined && { alerts: await nodeAlerts.changed(nodeId, alerts) }),
        ...(suspended && { suspensions: await suspensions.findChanges(nodeId, suspended) }),
      }
    },
    {
      bodyBytes: maxReportBytes,
      preHandler: limitReports(),
    },
  )
}

/** In memory, because each panel reads what it receives itself. */
function limitReports() {
  const rates = new Map<number, TokenBucket>()
  return async ({ nodeId }: { readonly nodeId: number }): Promise<void> => {
    const rate = rates.get(nodeId) ?? new TokenBucket(reportRate)
    rates.set(nodeId, rate)
    if (!rate.take()) throw new Refusal('ErrTooManyRequests', { retryAfter: 1 })
  }
}

function placementRoutes(
  registerRoute: RegisterRoute,
  { placementSettings, rooms, placements }: Pick<Deps, 'placementSettings' | 'rooms' | 'placements'>,
): void {
  registerRoute(placementCalls.getNodePlacement, async ({ params, preconditions }) => {
    const settings = await placementSettings.get(params.id)
    preconditions.setVersion(getVersion(settings))
    const room = (await rooms.read([params.id])).get(params.id)
    return { settings, ...(room && { room }) }
  })
  registerRoute(placementCalls.putNodePlacement, ({ params, body, audit, preconditions }) =>
    placementSettings.put(params.id, body, audit, preconditions.expectedVersion),
  )
  registerRoute(placementCalls.createPlacement, ({ principal, body, audit }) =>
    placements.create(principal, body, audit),
  )
}

function backupTargetRoutes(registerRoute: RegisterRoute, targets: BackupTargetsService): void {
  registerRoute(backupTargetCalls.listBackupTargets, ({ params }) => targets.list(params.id))
  registerRoute(backupTargetCalls.createBackupTarget, ({ params, body, audit }) =>
    targets.create(params.id, body, audit),
  )
  registerRoute(backupTargetCalls.editBackupTarget, ({ params, body, audit, preconditions }) =>
    targets.edit(params.id, params.target, body, { audit, expectedVersion: preconditions.expectedVersion }),
  )
  registerRoute(backupTargetCalls.deleteBackupTarget, ({ params, audit }) =>
    targets.remove(params.id, params.target, audit),
  )
  registerRoute(backupTargetCalls.testBackupTarget, ({ params, body }) => targets.test(params.id, body))
  registerRoute(backupTargetCalls.putDefaultBackupTargets, ({ params, body, preconditions }) =>
    targets.putDefaults(params.id, body, preconditions.expectedVersion),
  )
}

function backupRetentionRoutes(registerRoute: RegisterRoute, service: BackupRetentionService): void {
  registerRoute(backupPlanCalls.getPanelRetention, async ({ preconditions }) => {
    const retention = await service.readPanel()
    preconditions.setVersion(getVersion(retention))
    return retention
  })
  registerRoute(backupPlanCalls.putPanelRetention, ({ body, audit, preconditions }) =>
    service.setPanel(body, audit, preconditions.expectedVersion),
  )
  registerRoute(backupPlanCalls.getNodeRetention, async ({ params, preconditions }) => {
    const applied = await service.readNode(params.id)
    preconditions.setVersion(getVersion(applied))
    return applied
  })
  registerRoute(backupPlanCalls.putNodeRetention, ({ params, body, audit, preconditions }) =>
    service.setNode(params.id, body, audit, preconditions.expectedVersion),
  )
}
