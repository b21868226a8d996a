import { AlertContent, type AlertMessage, titleOf } from '@innkeeper/contract/alert-delivery/messages'
import { type AlertDelivery, alertTypes, deliveryStates } from '@innkeeper/contract/alerts'
import { type PageQuery, type Paging, pagingOf } from '@innkeeper/contract/paging'
import { z } from 'zod'
import { equalsOrIsNull } from '../database/expressions.ts'
import type { AlertDeliveryRow, Database } from '../database/schema.ts'
import { textsIn } from '../mail/texts.ts'
import { acquireRows, recordResult } from '../queue/leases.ts'

/** How long a delivery belongs to one panel. */
const leaseMs = 60_000
const deliveriesPerBatch = 10
const retentionMs = 7 * 24 * 60 * 60 * 1000
const purgeEveryMs = 60 * 60 * 1000

interface Deps {
  readonly db: Database
  readonly now: () => number
}

/** The deliveries of all panels. A worker acquires one by updating its row, for the time of a lease. */
export class AlertQueue {
  readonly #deps: Deps
  #purgedAt = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Acquires some of the deliveries that are due: of each server its first one, then the second and so on, so that one
   * whose receivers answer slowly does not hold up all others. A `resolved` waits for the message before it.
   */
  async acquire(): Promise<AlertDeliveryRow[]> {
    const { db, now } = this.#deps
    const at = now()
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
    const due = await db
      .selectFrom(candidates.as('due'))
      .selectAll()
      .orderBy('turn')
      .orderBy('next_at')
      .limit(deliveriesPerBatch)
      .execute()
    return await acquireRows(due, {
      at,
      leaseMs,
      write: async (row, lease) => {
        const { numUpdatedRows } = await db
          .updateTable('alert_deliveries')
          .set(lease)
          .where('id', '=', row.id)
          .where('state', '=', row.state)
          .where('lease', '=', row.lease)
          .where('next_at', '=', row.next_at)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      },
    })
  }

  /** Updates a delivery that this worker has leased, see `recordResult`. */
  async update(
    { id, lease, next_at }: AlertDeliveryRow,
    changed: Partial<AlertDeliveryRow>,
    signal: AbortSignal,
  ): Promise<void> {
    const { db, now } = this.#deps
    await recordResult(
      () => db.updateTable('alert_deliveries').set(changed).where('id', '=', id).where('lease', '=', lease).execute(),
      { until: next_at, now, signal },
    )
  }

  /** Deletes old deliveries and IDs of events, and channels of deleted servers, at most once an hour. */
  async purge(): Promise<void> {
    const { db, now } = this.#deps
    const at = now()
    if (at - this.#purgedAt < purgeEveryMs) return
    this.#purgedAt = at
    await db
      .deleteFrom('alert_deliveries')
      .where('state', 'in', ['sent', 'failed'])
      .where('created_at', '<', at - retentionMs)
      // Of a condition that lasts, the channels must stay known.
      .where('alert_id', 'not in', ({ selectFrom }) => selectFrom('alerts').select('alerts.id'))
      .execute()
    await db
      .deleteFrom('alert_channels')
      .where('server_id', 'is not', null)
      .where('server_id', 'not in', ({ selectFrom }) => selectFrom('servers').select('servers.id'))
      .execute()
    await db
      .deleteFrom('alert_events')
      .where('at', '<', at - retentionMs)
      .execute()
  }

  async list(query: PageQuery, server?: string): Promise<{ deliveries: AlertDelivery[]; paging: Paging }> {
    const all = this.#deps.db
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
    const { count } = await all
      .select(({ fn }) => fn.countAll<number | bigint | string>().as('count'))
      .executeTakeFirstOrThrow()
    return { deliveries: rows.map(toView), paging: pagingOf(query, Number(count)) }
  }
}

/** The message of a stored delivery. */
export function messageOf({ id, type, is_resolved, content }: AlertDeliveryRow): AlertMessage {
  return {
    id,
    type: z.enum(alertTypes).parse(type),
    isResolved: is_resolved === 1,
    content: AlertContent.parse(JSON.parse(content)),
  }
}

function toView(row: AlertDeliveryRow & { readonly language: string }): AlertDelivery {
  const message = messageOf(row)
  const time = (at: number) => new Date(at).toISOString()
  const state = z.enum(deliveryStates).parse(row.state)
  return {
    id: row.id,
    channelId: row.channel_id,
    type: z.enum(alertTypes).parse(row.type),
    isResolved: message.isResolved,
    title: titleOf(message, textsIn(row.language).alerts),
    state,
    tries: row.tries,
    createdAt: time(row.created_at),
    ...(state === 'waiting' && { nextTryAt: time(row.next_at) }),
    ...(row.ended_at !== null && { endedAt: time(row.ended_at) }),
    answer: row.answer,
    isByNode: row.is_by_node === 1,
  }
}
