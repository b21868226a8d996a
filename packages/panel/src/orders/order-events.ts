import type { OrderEvent } from '@innkeeper/contract/alerts/messages'
import type { AlertsService } from '../alerts/alerts.ts'
import type { OrderRow, Transaction } from '../database/schema.ts'
import { findServer } from './find-server.ts'

/** Informs the alert channels about what happened to an order, in the transaction that changes it. */
export async function announceOrder(
  alerts: Pick<AlertsService, 'announce'>,
  transaction: Transaction,
  { shop, external_id: order, server_id }: OrderRow,
  event: OrderEvent['event'],
): Promise<void> {
  const server = server_id === null ? undefined : await findServer(transaction, server_id)
  await alerts.announce(transaction, {
    type: 'order',
    ...(server && { server: { id: server.id, name: server.name } }),
    order: { shop, order, event },
    detail: `Order ${order} of ${shop}: ${event}`,
  })
}
