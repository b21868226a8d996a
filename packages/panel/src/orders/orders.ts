import type { PageQuery, Paging } from '@innkeeper/contract/api/paging'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Order } from '@innkeeper/contract/orders/orders'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { SignInLinks } from '../auth/sign-in-links.ts'
import { requireUserById, userLabel } from '../database/users.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import type { SuspensionsService } from '../servers/suspensions.ts'
import { continueOrders } from './continue-orders.ts'
import type { CreationDeps } from './order-creation.ts'
import { announceOrder } from './order-events.ts'
import { hasCreated } from './order-owner.ts'
import { type LeasedOrder, type OrderKey, orderRows } from './order-rows.ts'
import { orderSteps, released } from './order-steps.ts'
import { orderSuspensions } from './order-suspensions.ts'
import { type PlansService, parsePlan } from './plans.ts'
import { orderPuts, type PutOrder } from './put-order.ts'

/** Sign-in links of one user per window of the rate limit. */
const maxSignInLinks = 20
const dayMs = 24 * 60 * 60 * 1000

interface Deps extends Omit<CreationDeps, 'rows'> {
  readonly access: Pick<AccessService, 'requireScope'>
  readonly plans: PlansService
  readonly suspensions: Pick<SuspensionsService, 'suspend' | 'end'>
  readonly signInLinks: Pick<SignInLinks, 'create'>
  readonly limiter: Pick<RateLimiter, 'consume'>
  readonly log: Logger
  /** Interval of looks for orders on which something is due. */
  readonly pollMs?: number | undefined
}

export interface OrdersService {
  readonly job: PeriodicJob
  readonly put: PutOrder
  list(query: PageQuery): Promise<{ orders: Order[]; paging: Paging }>
  get(key: OrderKey): Promise<Order>
  suspend(key: OrderKey, reason: string, audit: AuditContext): Promise<Order>
  resume(key: OrderKey, audit: AuditContext): Promise<Order>
  /** Without `graceDays` the time of grace is that of the plan. */
  end(key: OrderKey, graceDays: number | undefined, audit: AuditContext): Promise<Order>
  /** Throws ErrNoPermission unless an order of the shop has created the owner, who has no permissions in the panel. */
  createSignInLink(key: OrderKey, audit: AuditContext): Promise<{ path: string; expiresAt: string }>
}

/**
 * Orders of shops. Each order has a row, which says what is to be done. A call works on an order with a lease, and so does
 * the job that continues what a call could not finish: there is never more than one server or user for an order.
 */
export function ordersService(deps: Deps): OrdersService {
  const { db, signInLinks, limiter, now } = deps
  const rows = orderRows(deps)
  const steps = orderSteps({ ...deps, rows })
  const byOrders = orderSuspensions({ ...deps, rows })
  const job = continueOrders({ ...deps, rows, steps })

  /** Leases an order for a call, and releases it when the call fails. */
  async function withLease(key: OrderKey, work: (order: LeasedOrder) => Promise<void>): Promise<Order> {
    const { row, leased } = await rows.waitFor(key)
    if (leased) await rows.releaseOnError(leased, () => work(leased))
    return await rows.view(row)
  }

  /** Throws ErrOrderState unless the order has a server and has not ended. */
  async function requireServer(order: LeasedOrder): Promise<{ readonly server_id: string }> {
    const { state, server_id } = order
    if (state !== 'active' && state !== 'suspended') throw new Refusal('ErrOrderState', { state })
    if (server_id === null || !(await rows.hasServer(order))) throw new Refusal('ErrOrderState', { state: 'deleted' })
    return { server_id }
  }

  async function end(order: LeasedOrder, graceDays: number | undefined, audit: AuditContext): Promise<void> {
    if (order.state === 'ended' || order.state === 'deleted') {
      await rows.update(order, { lease: '', next_at: order.delete_at ?? 0 })
      return audit.skip()
    }
    const { server_id } = order
    if (server_id === null || !(await rows.hasServer(order))) {
      const changes = { ...released, state: 'deleted', server_id: null, request: null }
      return await auditedTransaction(audit, db, async (transaction) => {
        await rows.update(order, changes, transaction)
        await announceOrder(deps.alerts, transaction, { ...order, server_id: null }, 'ended')
      })
    }
    const delete_at = now() + (graceDays ?? parsePlan(order.plan_body).graceDays) * dayMs
    const day = new Date(delete_at).toISOString().slice(0, 10)
    const suspension = `The order of this server has ended. The server is deleted on ${day}.`
    const changes = { state: 'ended' as const, suspension, delete_at, is_pending: 1, next_at: delete_at, request: null }
    await byOrders.suspend({ ...order, server_id }, { ...changes, attempts: 0, error: null }, audit)
  }

  return {
    job,
    put: orderPuts({ ...deps, rows, steps, suspensions: byOrders }),
    list: rows.list,

    async get(key: OrderKey): Promise<Order> {
      const row = await rows.find(key)
      if (!row) throw new Refusal('ErrNotFound')
      return await rows.view(row)
    },

    suspend: (key: OrderKey, reason: string, audit: AuditContext): Promise<Order> =>
      withLease(key, async (order) => {
        const { server_id } = await requireServer(order)
        await byOrders.suspend(
          { ...order, server_id },
          { state: 'suspended', suspension: reason, next_at: now() },
          audit,
        )
      }),

    resume: (key: OrderKey, audit: AuditContext): Promise<Order> =>
      withLease(key, async (order) => {
        const { server_id } = await requireServer(order)
        await byOrders.end({ ...order, server_id }, { state: 'active', lease: '', next_at: now() }, audit)
      }),

    async end(key: OrderKey, graceDays: number | undefined, audit: AuditContext): Promise<Order> {
      audit.setSubject({ target: `${key.shop}/${key.order}` })
      const ended = await withLease(key, (order) => end(order, graceDays, audit))
      job.wake()
      return ended
    },

    async createSignInLink(key: OrderKey, audit: AuditContext) {
      const order = await rows.find(key)
      if (!order) throw new Refusal('ErrNotFound')
      const owner = await requireUserById(db, order.owner_id ?? -1)
      audit.setSubject({ target: userLabel(owner) })
      await limiter.consume([{ key: `sign-in link ${owner.id}`, max: maxSignInLinks }])
      if (!(await hasCreated(db, key.shop, owner.id))) throw new Refusal('ErrNoPermission')
      return await signInLinks.create(owner, order.server_id ?? undefined, audit)
    },
  }
}
