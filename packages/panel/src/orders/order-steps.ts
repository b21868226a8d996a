import { isDeepStrictEqual } from 'node:util'
import { putBackupRetention } from '@innkeeper/contract/backups/backups'
import type { Definition } from '@innkeeper/contract/definitions/definition'
import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import type { VariableValues } from '@innkeeper/contract/definitions/variables'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isDatabaseError } from '../database/errors.ts'
import { runTransaction } from '../database/rows.ts'
import { deleteOnNode } from '../servers/delete-on-node.ts'
import { setExtraPortLimit } from '../servers/extra-ports.ts'
import { createWithFreePorts } from '../servers/free-ports.ts'
import { deleteServers } from '../servers/removal.ts'
import { findServer } from './find-server.ts'
import { type Actor, type CreationDeps, orderCreation } from './order-creation.ts'
import { announceOrder } from './order-events.ts'
import type { LeasedOrder } from './order-rows.ts'
import { getAdditionalPorts, withPlan } from './plan-definition.ts'
import { parsePlan } from './plans.ts'

/** The lease of an order whose server is deleted, which may take two minutes. */
const deletionLeaseMs = 180_000
/** The pause after the first failed attempt; it doubles up to the maximum. */
const retryMs = 15_000
const maxRetryMs = 15 * 60 * 1000

export type OrderSteps = ReturnType<typeof orderSteps>

/** Does what is to be done for a leased order, and releases it. */
export function orderSteps(deps: CreationDeps) {
  const { db, rows, nodes, ports, templates, mail, activity, alerts, now } = deps
  const create = orderCreation(deps)

  /** Gives the server limits, variables and ports of its plan. Changes nothing that is so already. */
  async function applyDefinition(order: LeasedOrder): Promise<void> {
    const plan = parsePlan(order.plan_body)
    const server = order.server_id === null ? undefined : await findServer(db, order.server_id)
    if (!server) return
    if (plan.extraPorts !== undefined) await setExtraPortLimit(db, server.id, plan.extraPorts)
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
      await runTransaction(db, async (transaction) => {
        await rows.update(order, { limits_changed_at: now() }, transaction)
        await announceOrder(alerts, transaction, order, 'changed')
      })
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
      await announceOrder(alerts, transaction, { ...order, server_id: null }, 'deleted')
    })
  }

  /** Stores why it failed, and when it is repeated. */
  async function fail(order: LeasedOrder, error: unknown): Promise<void> {
    const refusal = error instanceof Refusal ? error : new Refusal('ErrUnknownError')
    const pause = Math.min(maxRetryMs, retryMs * 2 ** Math.min(order.attempts, 10))
    const { error: stored } = toEnvelope(refusal)
    const next = { next_at: now() + pause, attempts: order.attempts + 1, error: JSON.stringify(stored) }
    await runTransaction(db, async (transaction) => {
      await rows.update(order, { ...next, lease: '' }, transaction)
      if (order.attempts === 0) await announceOrder(alerts, transaction, order, 'failed')
    })
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

/** Nothing more is to be done. */
export const released = { lease: '', is_pending: 0, next_at: 0, attempts: 0, error: null } as const

function ignoreMissingTemplate(error: unknown): { readonly template: undefined } {
  if (error instanceof Refusal && error.code === 'ErrNoTemplate') return { template: undefined }
  throw error
}

/** Without what is not stored. */
const normalized = (definition: Definition): unknown => JSON.parse(JSON.stringify(definition))
