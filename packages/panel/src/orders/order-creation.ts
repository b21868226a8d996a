import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { OrderInput } from '@innkeeper/contract/orders/orders'
import type { Plan } from '@innkeeper/contract/orders/plans'
import { NewServer } from '@innkeeper/contract/servers/new-server'
import { limits } from '@innkeeper/contract/text/limits'
import { formatPermissions } from '../access/access.ts'
import type { AuditContext } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import type { ActivityLog } from '../activity/activity.ts'
import type { AlertsService } from '../alerts/alerts.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { requireUserById } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PlacementsService } from '../nodes/placements.ts'
import type { PortsService } from '../nodes/ports.ts'
import { setExtraPortLimit } from '../servers/extra-ports.ts'
import { createWithFreePorts } from '../servers/free-ports.ts'
import type { OnServerAdded } from '../servers/server-rows.ts'
import type { ServersService } from '../servers/servers.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { findServer } from './find-server.ts'
import { announceOrder } from './order-events.ts'
import { type OwnerDeps, orderOwners } from './order-owner.ts'
import type { LeasedOrder, OrderRows } from './order-rows.ts'
import { planDefinition } from './plan-definition.ts'
import { parsePlan } from './plans.ts'

export interface CreationDeps extends OwnerDeps {
  readonly db: Database
  readonly rows: OrderRows
  readonly alerts: Pick<AlertsService, 'announce'>
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly placements: Pick<PlacementsService, 'create'>
  readonly ports: Pick<PortsService, 'reserve' | 'release'>
  readonly servers: Pick<ServersService, 'create'>
  readonly templates: Pick<TemplatesService, 'get'>
  readonly mail: Pick<MailService, 'queue'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/** On whose behalf an order is worked on. */
export interface Actor {
  readonly principal: PrincipalWithScope<'servers.create'>
  readonly audit: AuditContext
}

/** Creates the servers of orders, on the node that is named or chosen. */
export function orderCreation(deps: CreationDeps) {
  const { db, rows, nodes, placements, ports, servers, templates, alerts } = deps
  const ensureOwner = orderOwners(deps)

  /** Whether an earlier attempt, whose panel has ended, has created the server. */
  async function isCreated({ server_id: id }: LeasedOrder): Promise<boolean> {
    if (id === null) return false
    const server = await findServer(db, id)
    if (!server) return false
    const unfinished = db.selectFrom('unfinished_servers').select('server_id').where('server_id', '=', id)
    if (!(await unfinished.executeTakeFirst())) return true
    const client = await nodes.clientFor(server.nodeId)
    const found = await client.call(panelEndpoints.getUsage, { query: { ids: id } })
    // The node may still get the request. `unfinishedServers` deletes the server when that is certain.
    if (found.length === 0) throw new Refusal('ErrServiceNotAvailable')
    await unfinishedDone(id)
    return true
  }

  async function unfinishedDone(id: string): Promise<void> {
    await db.deleteFrom('unfinished_servers').where('server_id', '=', id).execute()
  }

  /** The named node, or a reservation on one with the labels. */
  async function chooseNode(
    { node, labels }: OrderInput,
    plan: Plan,
    principal: Actor['principal'],
  ): Promise<{ readonly node: number; readonly placement?: string }> {
    const named = node ?? plan.node
    if (named !== undefined) return { node: named }
    const { memory, disk } = plan.limits
    const wanted = {
      labels: [...new Set([...plan.labels, ...labels])],
      memory,
      disk,
      ports: 0,
      template: plan.template,
    }
    const { id, node: chosen } = await placements.create(principal, wanted, notAudited)
    return { node: chosen.id, placement: id }
  }

  async function createServer(order: LeasedOrder, plan: Plan, { principal, audit }: Actor): Promise<string> {
    const request = OrderInput.parse(JSON.parse(order.request ?? '{}'))
    let ownerId = order.owner_id
    await ensureOwner(order, request.owner, async (transaction, owner) => {
      ownerId = owner.owner_id
      await rows.update(order, owner, transaction)
    })
    const { username } = await requireUserById(db, ownerId ?? -1)
    const { template } = await templates.get(plan.template)
    const definition = planDefinition(template, plan, request.variables)
    const { node, placement } = await chooseNode(request, plan, principal)
    const onAdd: OnServerAdded = async (transaction, id) => {
      await rows.update(order, { server_id: id }, transaction)
      // Only the shop ends an order.
      const rights = formatPermissions(serverPermissionNames.filter((permission) => permission !== 'deleteServer'))
      await transaction.updateTable('server_users').set({ rights }).where('server_id', '=', id).execute()
      const { extraPorts } = plan
      if (extraPorts !== undefined) await setExtraPortLimit(transaction, id, extraPorts)
    }
    const { data } = definition
    const requested = Object.fromEntries(Object.entries(request.variables).map(([name, value]) => [name, { value }]))
    return await createWithFreePorts({ ports, node, data, requested }, async (free) => {
      const server = { ...definition, data: free, node, placement, users: [username], template: plan.template }
      const create = async (name: string | undefined) =>
        (await servers.create(principal, NewServer.parse({ ...server, name }), audit, { onAdd })).id
      if (request.name === undefined) return await create(undefined)
      // A name that is taken must not keep a customer from the server.
      return await create(request.name).catch((error: unknown) => {
        if (!(error instanceof Refusal && error.code === 'ErrDuplicateServerName')) throw error
        return create(`${request.name} ${order.external_id}`.slice(-limits.serverNameMax).trim())
      })
    })
  }

  /** Creates owner and server of a leased order, and returns it as active. */
  return async function create(order: LeasedOrder, actor: Actor): Promise<LeasedOrder> {
    const plan = parsePlan(order.plan_body)
    const server_id = (await isCreated(order)) ? order.server_id : await createServer(order, plan, actor)
    const created = { server_id, state: 'active', request: null, limits_changed_at: null }
    await runTransaction(db, async (transaction) => {
      await rows.update(order, created, transaction)
      await announceOrder(alerts, transaction, { ...order, ...created }, 'created')
    })
    return { ...order, ...created }
  }
}

/** A part of an action that is recorded as a whole. */
const notAudited: AuditContext = { setActor() {}, setSubject() {}, skip() {}, async record() {} }
