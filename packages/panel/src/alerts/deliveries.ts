import { type AlertDelivery, alertTypes, deliveryStates } from '@innkeeper/contract/alerts/alerts'
import { AlertContent, type AlertMessage, getTitle } from '@innkeeper/contract/alerts/messages'
import { getPaging, type PageQuery, type Paging } from '@innkeeper/contract/api/paging'
import { z } from 'zod'
import { equalsOrIsNull } from '../database/expressions.ts'
import { countRows } from '../database/rows.ts'
import type { AlertDeliveryRow, Database } from '../database/schema.ts'
import { textsIn } from '../mail/texts.ts'
import { purgeNotifications } from './notifications.ts'

const deliveriesPerBatch = 10

/**
 * Some of the deliveries that are due: of each server its first one, then the second and so on, so that one whose receivers
 * answer slowly does not hold up all others. A `resolved` waits for the message before it.
 */
export async function dueDeliveries(db: Database, at: number): Promise<AlertDeliveryRow[]> {
  const candidates = db
    .selectFrom('alert_deliveries')
    .leftJoin('alert_channels', 'alert_channels.id', 'alert_deliveries.channel_id')
    .selectAll('alert_deliveries')
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((window) => window.partitionBy('alert_channels.server_id').orderBy('alert_deliveries.next_at'))
        .as('turn'),
    )
    .where('alert_deliveries.state', 'in', ['waiting', 'sending'])
    .where('alert_deliveries.next_at', '<=', at)
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('alert_deliveries.is_resolved', '=', 0),
        not(
          exists(
            selectFrom('alert_deliveries as first')
              .select('first.id')
              .whereRef('first.alert_id', '=', 'alert_deliveries.alert_id')
              .whereRef('first.channel_id', '=', 'alert_deliveries.channel_id')
              .where('first.is_resolved', '=', 0)
              .where('first.state', 'in', ['waiting', 'sending']),
          ),
        ),
      ]),
    )
  return await db
    .selectFrom(candidates.as('due'))
    .selectAll()
    .orderBy('turn')
    .orderBy('next_at')
    .limit(deliveriesPerBatch)
    .execute()
}

/** Deletes old deliveries and IDs of events, and channels of deleted servers. */
export async function purgeAlerts(db: Database, before: number): Promise<void> {
  await db
    .deleteFrom('alert_deliveries')
    .where('state', 'in', ['sent', 'failed'])
    .where('created_at', '<', before)
    // Of a condition that lasts, the channels must stay known.
    .where('alert_id', 'not in', ({ selectFrom }) => selectFrom('alerts').select('alerts.id'))
    .execute()
  await db
    .deleteFrom('alert_channels')
    .where('server_id', 'is not', null)
    .where('server_id', 'not in', ({ selectFrom }) => selectFrom('servers').select('servers.id'))
    .execute()
  await db.deleteFrom('alert_events').where('at', '<', before).execute()
  await purgeNotifications(db, before)
}

/** The deliveries of the channels of a server, or of administrators, latest first. */
export async function listDeliveries(
  db: Database,
  query: PageQuery,
  server?: string,
): Promise<{ deliveries: AlertDelivery[]; paging: Paging }> {
  const all = db
    .selectFrom('alert_deliveries')
    .innerJoin('alert_channels', 'alert_channels.id', 'alert_deliveries.channel_id')
    .where(equalsOrIsNull('alert_channels.server_id', server))
  const rows = await all
    .selectAll('alert_deliveries')
    .select('alert_channels.language')
    .orderBy('alert_deliveries.created_at', 'desc')
    .orderBy('alert_deliveries.id')
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .execute()
  const count = await countRows(all)
  return { deliveries: rows.map(toView), paging: getPaging(query, count) }
}

/** The message of a stored delivery. */
export function getMessage({ id, type, is_resolved, content }: AlertDeliveryRow): AlertMessage {
  return {
    id,
    type: z.enum(alertTypes).parse(type),
    isResolved: is_resolved === 1,
    content: AlertContent.parse(JSON.parse(content)),
  }
}

function toView(row: AlertDeliveryRow & { readonly language: string }): AlertDelivery {
  const message = getMessage(row)
  const time = (at: number) => new Date(at).toISOString()
  const state = z.enum(deliveryStates).parse(row.state)
  return {
    id: row.id,
    channelId: row.channel_id,
    type: z.enum(alertTypes).parse(row.type),
    isResolved: message.isResolved,
    title: getTitle(message, textsIn(row.language).alerts),
    state,
    tries: row.tries,
    createdAt: time(row.created_at),
    ...(state === 'waiting' && { nextTryAt: time(row.next_at) }),
    ...(row.ended_at !== null && { endedAt: time(row.ended_at) }),
    answer: row.answer,
    isByNode: row.is_by_node === 1,
  }
}
