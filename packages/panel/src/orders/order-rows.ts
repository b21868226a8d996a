import { setTimeout as pause } from 'node:timers/promises'
import { getPaging, type PageQuery, type Paging } from '@innkeeper/contract/api/paging'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type Order, orderStates } from '@innkeeper/contract/orders/orders'
import { z } from 'zod'
import { findSuspension, suspensionColumns } from '../access/suspension.ts'
import { affectsRows, countRows } from '../database/rows.ts'
import type { Database, OrderRow, RowChanges, Transaction } from '../database/schema.ts'
import { LeasedQueue } from '../queue/leased-queue.ts'

/** How long an order belongs to one panel. */
const leaseMs = 60_000
/** How long a call waits for another one that works on the same order. */
const maxWaitMs = 30_000
const pollMs = 100

/** Names an order. */
export interface OrderKey {
  readonly shop: string
  readonly order: string
}

/** An order that this panel works on. */
export type LeasedOrder = OrderRow

interface Deps {
  readonly db: Database
  readonly now: () => number
}

export type OrderRows = ReturnType<typeof orderRows>

/** The rows of orders. Only the panel with the lease of an order changes it. */
export function orderRows({ db, now }: Deps) {
  const queue = new LeasedQueue(db, 'orders')

  async function lease(row: OrderRow): Promise<LeasedOrder | undefined> {
    if (row.lease !== '' && row.next_at > now()) return undefined
    const [leased] = await queue.acquire([row], ({ state }) => ({ state, next_at: now() + leaseMs }))
    return leased
  }

  async function find({ shop, order }: OrderKey): Promise<OrderRow | undefined> {
    const orders = db.selectFrom('orders').selectAll().where('shop', '=', shop)
    return await orders.where('external_id', '=', order).executeTakeFirst()
  }

  return {
    find,

    /** Leases orders on which something is due. */
    async leaseDue(limit: number): Promise<LeasedOrder[]> {
      const due = db.selectFrom('orders').selectAll().where('is_pending', '=', 1).where('next_at', '<=', now())
      const rows = await due.orderBy('next_at').limit(limit).execute()
      const leased = []
      for (const row of rows) leased.push(await lease(row))
      return leased.filter((row) => row !== undefined)
    },

    /**
     * Leases the order, and waits while another call has it. Returns it without a lease as soon as it `isDone`. Throws the
     * error of the other call, so that calls at the same time do not repeat what fails one after the other.
     */
    async waitFor(
      key: OrderKey,
      isDone: (row: OrderRow) => Promise<boolean> = async () => false,
    ): Promise<{ readonly row: OrderRow; readonly leased?: LeasedOrder }> {
      const until = performance.now() + maxWaitMs
      let first: OrderRow | undefined
      while (performance.now() < until) {
        const row = await find(key)
        if (!row) throw new Refusal('ErrNotFound')
        if (await isDone(row)) return { row }
        if (first && row.attempts > first.attempts && row.error !== null) throw parseError(row.error)
        const leased = await lease(row)
        if (leased) return { row, leased }
        first ??= row
        await pause(pollMs * (1 + Math.random()))
      }
      throw new Refusal('ErrOrderBusy')
    },

    /** Changes a leased order. Throws ErrOrderBusy when another panel has leased it since. */
    async update(order: LeasedOrder, changes: RowChanges<'orders'>, on: Database | Transaction = db): Promise<void> {
      const updating = queue.updateLeased(order.id, order.lease, on).set(changes as never)
      if (!(await affectsRows(updating))) throw new Refusal('ErrOrderBusy')
    },

    /** Runs `work`, and releases the order when it fails. */
    async releaseOnError(order: LeasedOrder, work: () => Promise<void>): Promise<void> {
      try {
        await work()
      } catch (error) {
        const next_at = order.is_pending === 1 ? (order.delete_at ?? now()) : 0
        await queue
          .updateLeased(order.id, order.lease)
          .set({ lease: '', next_at } as never)
          .execute()
        throw error
      }
    },

    /** Extends a lease for something that takes long. */
    async extend(order: LeasedOrder, ms: number): Promise<void> {
      await this.update(order, { next_at: now() + ms })
    },

    /** Whether the server exists. */
    async hasServer({ server_id: id }: OrderRow): Promise<boolean> {
      if (id === null) return false
      return (await db.selectFrom('servers').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
    },

    /** As users of the API see it. */
    async view({ id }: Pick<OrderRow, 'id'>): Promise<Order> {
      const row = await withNames(db).where('orders.id', '=', id).executeTakeFirstOrThrow()
      return getOrder(row, now())
    },

    /** Newest first. */
    async list(query: PageQuery): Promise<{ orders: Order[]; paging: Paging }> {
      const rows = await withNames(db)
        .orderBy('orders.created_at', 'desc')
        .orderBy('orders.id')
        .limit(query.limit)
        .offset((query.page - 1) * query.limit)
        .execute()
      const total = await countRows(db.selectFrom('orders'))
      return { orders: rows.map((row) => getOrder(row, now())), paging: getPaging(query, total) }
    },
  }
}

function withNames(db: Database) {
  return db
    .selectFrom('orders')
    .leftJoin('users', 'users.id', 'orders.owner_id')
    .leftJoin('servers', 'servers.id', 'orders.server_id')
    .selectAll('orders')
    .select(['users.username', 'users.email', 'servers.name', 'servers.node_id'])
    .select(suspensionColumns.map((column) => `servers.${column}` as const))
}

function parseError(error: string): Refusal {
  return refusalFrom({ error: JSON.parse(error) }) ?? new Refusal('ErrUnknownError')
}

type RowWithNames = Awaited<ReturnType<ReturnType<typeof withNames>['executeTakeFirstOrThrow']>>

function getOrder(row: RowWithNames, now: number): Order {
  const { username, email, owner_id, name, node_id, server_id } = row
  const time = (at: number) => new Date(at).toISOString()
  const state = z.enum(orderStates).parse(row.state)
  const hasServer = server_id !== null && name !== null && node_id !== null
  const isGone = (state === 'active' || state === 'suspended') && !hasServer
  const error = row.error === null ? undefined : parseError(row.error)
  const suspension = findSuspension(row, now)
  return {
    shop: row.shop,
    order: row.external_id,
    plan: row.plan,
    state: isGone ? 'deleted' : state,
    ...(owner_id !== null && username !== null && email !== null && { owner: { id: owner_id, username, email } }),
    ...(hasServer && state !== 'creating' && { server: { id: server_id, name, node: node_id } }),
    isPending: row.is_pending === 1 && state !== 'ended',
    ...(error && { error: { code: error.unknown?.code ?? error.code, message: error.message } }),
    ...(row.limits_changed_at !== null && { limitsChangedAt: time(row.limits_changed_at) }),
    ...(suspension && { suspension: suspension.reason }),
    ...(row.delete_at !== null && { deleteAt: time(row.delete_at) }),
    createdAt: time(row.created_at),
  }
}
