import { randomUUID } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Order, OrderInput } from '@innkeeper/contract/orders/orders'
import type { Plan } from '@innkeeper/contract/orders/plans'
import type { AccessService } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database, OrderRow, RowChanges } from '../database/schema.ts'
import type { TemplatesService } from '../templates/templates.ts'
import type { Actor } from './order-creation.ts'
import type { LeasedOrder, OrderKey, OrderRows } from './order-rows.ts'
import type { OrderSteps } from './order-steps.ts'
import type { OrderSuspensions } from './order-suspensions.ts'
import { planDefinition } from './plan-definition.ts'
import { type PlansService, parsePlan } from './plans.ts'

/** Another panel does not begin with a new order before the one that got it. */
const firstAttemptMs = 5_000

interface Deps {
  readonly db: Database
  readonly access: Pick<AccessService, 'requireScope'>
  readonly plans: Pick<PlansService, 'find'>
  readonly templates: Pick<TemplatesService, 'get'>
  readonly rows: OrderRows
  readonly steps: OrderSteps
  readonly suspensions: OrderSuspensions
  readonly now: () => number
}

type Administrator = PrincipalWithScope<'servers.admin'>

export type PutOrder = (
  principal: Administrator,
  key: OrderKey,
  input: OrderInput,
  audit: AuditContext,
) => Promise<Order>

/** Creates servers of orders, and changes their plans. */
export function orderPuts({ db, access, plans, templates, rows, steps, suspensions, now }: Deps): PutOrder {
  /** Throws refusals for what can be known to be wrong before anything is stored. */
  async function validate(plan: Plan, { variables }: OrderInput): Promise<void> {
    const { template } = await templates.get(plan.template)
    planDefinition(template, plan, variables)
  }

  async function insert({ shop, order }: OrderKey, wanted: Wanted, createdBy: number): Promise<void> {
    const at = now()
    const work = { is_pending: 1, next_at: at + firstAttemptMs, lease: '', attempts: 0, error: null }
    const later = { owner_id: null, is_owner_created: 0, server_id: null, suspension: null }
    const times = { limits_changed_at: null, delete_at: null, created_at: at }
    const row: OrderRow = {
      id: randomUUID(),
      shop,
      external_id: order,
      created_by: createdBy,
      state: 'creating',
      ...getColumns(wanted),
      ...work,
      ...later,
      ...times,
    }
    await insertIfAbsent(db, 'orders', row)
  }

  /** Works on an order that a call has leased, with its changes. */
  async function change(order: LeasedOrder, changes: RowChanges<'orders'>, actor: Actor): Promise<void> {
    await rows.update(order, changes)
    await steps.run({ ...order, ...changes } as LeasedOrder, actor)
  }

  /** What a PUT does with an order that this panel has leased. */
  async function putLeased(order: LeasedOrder, wanted: Wanted, actor: Actor): Promise<void> {
    const { audit } = actor
    const columns = getColumns(wanted)
    const isNew = order.state === 'creating' || order.state === 'deleted' || !(await rows.hasServer(order))
    if (isNew) {
      await validate(wanted.plan, wanted.input)
      const fresh = { state: 'creating', is_pending: 1, suspension: null, delete_at: null, attempts: 0 }
      return await change(order, { ...columns, ...fresh, created_by: actor.principal.userId }, actor)
    }
    if (parsePlan(order.plan_body).template !== wanted.plan.template) throw new Refusal('ErrOrderTemplate')
    const { request: _, ...plan } = columns
    const changes = { ...plan, is_pending: 1, attempts: 0 }
    const { server_id } = order
    if (server_id === null) throw new Error('an order has no server')
    audit.setSubject({ server: server_id })
    if (order.state !== 'ended') {
      await auditedTransaction(audit, db, (transaction) => rows.update(order, changes, transaction))
      return await steps.run({ ...order, ...changes }, actor)
    }
    const restored = { ...changes, state: 'active', delete_at: null }
    await suspensions.end({ ...order, server_id }, restored, audit)
    await steps.run({ ...order, ...restored, suspension: null }, actor)
  }

  return async function put(
    principal: Administrator,
    key: OrderKey,
    input: OrderInput,
    audit: AuditContext,
  ): Promise<Order> {
    const plan = await plans.find(input.plan)
    if (!plan) throw new Refusal('ErrFieldInvalid', { field: 'plan' })
    audit.setSubject({ target: `${key.shop}/${key.order}` })
    const wanted = { plan, input }
    const body = JSON.stringify(plan)
    if (!(await rows.find(key))) {
      await validate(plan, input)
      await insert(key, wanted, principal.userId)
    }
    const { row, leased } = await rows.waitFor(key, async (found) => {
      const isSteady = found.is_pending === 0 && (found.state === 'active' || found.state === 'suspended')
      return isSteady && found.plan === input.plan && found.plan_body === body && (await rows.hasServer(found))
    })
    if (leased) {
      const actor = { principal: access.requireScope(principal, 'servers.create'), audit }
      await rows.releaseOnError(leased, () => putLeased(leased, wanted, actor))
    } else audit.skip()
    return await rows.view(row)
  }
}

/** What a PUT asks for. */
interface Wanted {
  readonly plan: Plan
  readonly input: OrderInput
}

function getColumns({ plan, input }: Wanted) {
  return { plan: input.plan, plan_body: JSON.stringify(plan), request: JSON.stringify(input) }
}
