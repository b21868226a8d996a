import { isDeepStrictEqual } from 'node:util'
import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { putBackupRetention } from '@innkeeper/contract/backups/backups'
import type { Definition } from '@innkeeper/contract/definitions/definition'
import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import type { VariableValues } from '@innkeeper/contract/definitions/variables'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
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
import { isDatabaseError } from '../database/errors.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { requireUserById } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PlacementsService } from '../nodes/placements.ts'
import type { PortsService } from '../nodes/ports.ts'
import { deleteOnNode } from '../servers/delete-on-node.ts'
import { createWithFreePorts } from '../servers/free-ports.ts'
import { deleteServers } from '../servers/removal.ts'
import type { OnServerAdded } from '../servers/server-rows.ts'
import type { ServersService } from '../servers/servers.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { type OwnerDeps, orderOwners } from './order-owner.ts'
import type { LeasedOrder, OrderRows } from './order-rows.ts'
import { getAdditionalPorts, planDefinition, withPlan } from './plan-definition.ts'
import { parsePlan } from './plans.ts'

/** The lease of an order whose server is deleted, which may take two minutes. */
const deletionLeaseMs = 180_000
/** The pause after the first failed attempt; it doubles up to the maximum. */
const retryMs = 15_000
const maxRetryMs = 15 * 60 * 1000

export interface StepDeps extends OwnerDeps {
  readonly db: Database
  readonly rows: OrderRows
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

export type OrderSteps = ReturnType<typeof orderSteps>

/** Does what is to be done for a leased order, and releases it. */
export function orderSteps(deps: StepDeps) {
  const { db, rows, nodes, placements, ports, servers, templates, mail, activity, now } = deps
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

  async function create(order: LeasedOrder, actor: Actor): Promise<LeasedOrder> {
    const plan = parsePlan(order.plan_body)
    const server_id = (await isCreated(order)) ? order.server_id : await createServer(order, plan, actor)
    const created = { server_id, state: 'active', request: null, limits_changed_at: null }
    await rows.update(order, created)
    return { ...order, ...created }
  }

  /** Gives the server limits, variables and ports of its plan. Changes nothing that is so already. */
  async function applyDefinition(order: LeasedOrder): Promise<void> {
    const plan = parsePlan(order.plan_body)
    const server = order.server_id === null ? undefined : await findServer(db, order.server_id)
    if (!server) return
    const client = await nodes.clientFor(server.nodeId)
    const params = { id: server.id }
    const definition = await client.call(getDefinition, { params })
    const { template } = await templates.get(plan.template).catch(ignoreMissingTemplate)
    const wanted = withPlan(definition, template, plan)
    if (!isDeepStrictEqual(normalized(wanted), normalized(definition))) {
      const before = getAdditionalPorts(definition.data)
      const kept = Object.keys(wanted.data).filter((name) => !/^additional_port_/.test(name) || before.includes(name))
      const requested: VariableValues = Object.fromEntries(kept.map((name) => [name, wanted.data[name] ?? {}]))
      await createWithFreePorts({ ports, node: server.nodeId, data: wanted.data, requested }, (data) =>
        client.call(putDefinition, { params, body: { ...wanted, data, id: server.id } }),
      )
      await rows.update(order, { limits_changed_at: now() })
    }
  }

  async function applyBackups(order: LeasedOrder): Promise<void> {
    const { backups } = parsePlan(order.plan_body)
    const server = order.server_id === null ? undefined : await findServer(db, order.server_id)
    if (!server || !backups) return
    const client = await nodes.clientFor(server.nodeId)
    await client.call(putBackupRetention, { params: { id: server.id }, body: backups })
  }

  async function remove(order: LeasedOrder): Promise<void> {
    await rows.extend(order, deletionLeaseMs)
    const server = order.server_id === null ? undefined : await findServer(db, order.server_id)
    if (server) await deleteOnNode(nodes, server)
    await runTransaction(db, async (transaction) => {
      if (server) {
        await deleteServers({ mail })(transaction, [server])
        const event = { action: 'server.delete', server: server.id, from: 'panel', result: 'done' } as const
        await activity.record({ ...event, target: `${order.shop}/${order.external_id}` }, transaction)
      }
      await rows.update(order, { ...released, state: 'deleted', server_id: null, delete_at: null }, transaction)
    })
  }

  /** Stores why it failed, and when it is repeated. */
  async function fail(order: LeasedOrder, error: unknown): Promise<void> {
    const refusal = error instanceof Refusal ? error : new Refusal('ErrUnknownError')
    const pause = Math.min(maxRetryMs, retryMs * 2 ** Math.min(order.attempts, 10))
    const { error: stored } = toEnvelope(refusal)
    const next = { next_at: now() + pause, attempts: order.attempts + 1, error: JSON.stringify(stored) }
    await rows.update(order, { ...next, lease: '' })
  }

  return {
    /** Throws why it failed; it is repeated later. */
    async run(order: LeasedOrder, actor: Actor): Promise<void> {
      try {
        if (order.state === 'ended') {
          if ((order.delete_at ?? 0) <= now()) await remove(order)
          else await rows.update(order, { lease: '', next_at: order.delete_at ?? now() })
          return
        }
        const existing = order.state === 'creating' ? await create(order, actor) : order
        if (existing === order) await applyDefinition(order)
        await applyBackups(existing)
        await rows.update(existing, released)
      } catch (error) {
        // The lease ends by itself when the database responds again, or is that of another panel.
        const isLost = error instanceof Refusal && error.code === 'ErrOrderBusy'
        if (!isLost && !isDatabaseError(error)) await fail(order, error)
        throw error
      }
    },
  }
}

/** A part of an action that is recorded as a whole. */
const notAudited: AuditContext = { setActor() {}, setSubject() {}, skip() {}, async record() {} }

/** Nothing more is to be done. */
export const released = { lease: '', is_pending: 0, next_at: 0, attempts: 0, error: null } as const

async function findServer(db: Database, id: string) {
  const row = db.selectFrom('servers').select(['id', 'name', 'node_id as nodeId']).where('id', '=', id)
  return await row.executeTakeFirst()
}

function ignoreMissingTemplate(error: unknown): { readonly template: undefined } {
  if (error instanceof Refusal && error.code === 'ErrNoTemplate') return { template: undefined }
  throw error
}

/** Without what is not stored. */
const normalized = (definition: Definition): unknown => JSON.parse(JSON.stringify(definition))
