import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AlertsService } from '../alerts/alerts.ts'
import type { Database, RowChanges, Transaction } from '../database/schema.ts'
import type { SuspensionsService } from '../servers/suspensions.ts'
import { announceOrder } from './order-events.ts'
import type { LeasedOrder, OrderRows } from './order-rows.ts'

interface Deps {
  readonly db: Database
  readonly rows: Pick<OrderRows, 'update'>
  readonly alerts: Pick<AlertsService, 'announce'>
  readonly suspensions: Pick<SuspensionsService, 'suspend' | 'end'>
}

type OrderWithServer = LeasedOrder & { readonly server_id: string }

export type OrderSuspensions = ReturnType<typeof orderSuspensions>

/** Suspensions of servers by their orders. One by an administrator stays as it is. */
export function orderSuspensions({ db, rows, suspensions, alerts }: Deps) {
  /** The suspension of the server, unless its order has set it. */
  async function isSuspendedByOther(order: LeasedOrder): Promise<boolean> {
    const columns = ['suspended_at', 'suspended_reason', 'suspended_until'] as const
    const servers = db.selectFrom('servers').select(columns).where('id', '=', order.server_id)
    const server = await servers.executeTakeFirst()
    if (!server || server.suspended_at === null) return false
    return server.suspended_until === null && server.suspended_reason !== order.suspension
  }

  return {
    /** Changes and releases the order, and suspends its server. */
    async suspend(
      order: OrderWithServer,
      changes: RowChanges<'orders'> & { readonly state: 'suspended' | 'ended'; readonly suspension: string },
      audit: AuditContext,
    ): Promise<void> {
      const change = async (transaction: Transaction) => {
        await rows.update(order, { ...changes, lease: '' }, transaction)
        if (order.state !== changes.state) await announceOrder(alerts, transaction, order, changes.state)
      }
      audit.setSubject({ server: order.server_id })
      if (await isSuspendedByOther(order)) return await auditedTransaction(audit, db, change)
      const reason = changes.suspension
      await suspensions.suspend(order.server_id, { reason, until: undefined }, audit, change)
    },

    /** Changes the order and ends the suspension by it. */
    async end(order: OrderWithServer, changes: RowChanges<'orders'>, audit: AuditContext): Promise<void> {
      const change = async (transaction: Transaction) => {
        await rows.update(order, { ...changes, suspension: null }, transaction)
        if (order.state !== 'active') await announceOrder(alerts, transaction, order, 'resumed')
      }
      audit.setSubject({ server: order.server_id })
      const servers = db.selectFrom('servers').select('suspended_at').where('id', '=', order.server_id)
      const isSuspended = ((await servers.executeTakeFirst())?.suspended_at ?? null) !== null
      if (!isSuspended || (await isSuspendedByOther(order))) return await auditedTransaction(audit, db, change)
      await suspensions.end(order.server_id, audit, change)
    },
  }
}
