import { randomUUID } from 'node:crypto'
import type { AlertType } from '@innkeeper/contract/alerts/alerts'
import type { AlertContent, OrderEvent } from '@innkeeper/contract/alerts/messages'
import { endOfQuietHours } from '@innkeeper/contract/alerts/quiet-hours'
import { type AlertSubject, getAlertKey, getDeliveryId, isForChannel } from '@innkeeper/contract/alerts/rules'
import type { NodeDelivery } from '@innkeeper/contract/node-link/node-events'
import { affectsRows, insertIfAbsent, runTransaction } from '../database/rows.ts'
import type { AlertChannelRow, AlertDeliveryRow, Database, Transaction } from '../database/schema.ts'
import type { AvailabilityService } from '../nodes/availability.ts'
import { activeChannels } from './channel-owners.ts'
import { getRules } from './channels.ts'
import { addNotification, endNotification } from './notifications.ts'

/** Something to inform channels about. */
export interface NewAlert {
  readonly type: AlertType
  /** Distinguishes alerts of the same type about the same server or node. */
  readonly subject?: string
  readonly server?: { readonly id: string; readonly name: string } | undefined
  readonly node?: { readonly id: number; readonly name: string } | undefined
  readonly order?: OrderEvent
  /** In English. */
  readonly detail?: string
  /** Epoch milliseconds; now by default. */
  readonly at?: number
  /** The ID of the alert, if it is new. */
  readonly id?: string
}

export interface EndOptions {
  /** Without informing the channels. */
  readonly silently?: boolean
  /** What the node has sent itself. */
  readonly byNode?: readonly NodeDelivery[]
}

interface Deps {
  readonly db: Database
  readonly availability: Pick<AvailabilityService, 'isInMaintenance'>
  /** Wakes the worker after a delivery was queued. */
  readonly wake: () => void
  readonly now: () => number
}

export type AlertsService = ReturnType<typeof alertsService>

/**
 * Conditions that last, and the deliveries to channels. A channel is informed once for each condition, on whatever
 * panel it was noticed.
 */
export function alertsService({ db, availability, wake, now }: Deps) {
  /** Whether its node is in maintenance. */
  async function isQuiet(transaction: Transaction, { server, node }: NewAlert): Promise<boolean> {
    const row =
      server &&
      (await transaction.selectFrom('servers').select('node_id').where('id', '=', server.id).executeTakeFirst())
    const nodeId = row?.node_id ?? node?.id
    return nodeId !== undefined && (await availability.isInMaintenance(nodeId, transaction))
  }

  async function raise(transaction: Transaction, alert: NewAlert, byNode: readonly NodeDelivery[] = []): Promise<void> {
    const [key, at] = [getAlertKey(alert), now()]
    const { type, server, node, detail = '', id: newId = randomUUID() } = alert
    const subject = { server_id: server?.id ?? null, node_id: node?.id ?? null }
    const times = { opened_at: at, last_at: at }
    const isNew = await insertIfAbsent(transaction, 'alerts', { alert_key: key, id: newId, type, ...subject, ...times })
    if (isNew) await addNotification(transaction, newId, { ...alert, at: alert.at ?? at })
    const interested = (await activeChannels(transaction)).filter((channel) => isForChannel(getRules(channel), alert))
    // What the node has sent before it knew of the maintenance is recorded.
    const channels = (await isQuiet(transaction, alert))
      ? interested.filter(({ id }) => byNode.some(({ channel }) => channel === id))
      : interested
    // Also locks the row, so that no other panel informs a channel at the same time.
    await transaction.updateTable('alerts').set({ last_at: at }).where('alert_key', '=', key).execute()
    const { id } = await transaction
      .selectFrom('alerts')
      .select('id')
      .where('alert_key', '=', key)
      .executeTakeFirstOrThrow()
    const informed = new Set(await informedChannels(transaction, id))
    const content: AlertContent = { at: alert.at ?? at, detail, ...(server && { server }), ...(node && { node }) }
    const about = { alert_id: id, type, is_resolved: 0, content: JSON.stringify(content) }
    for (const channel of channels.filter((channel) => !informed.has(channel.id)))
      await queue(transaction, channel, about, byNode)
  }

  /** Queues a delivery, or records that of the node. */
  async function queue(
    transaction: Transaction,
    channel: AlertChannelRow,
    about: Pick<AlertDeliveryRow, 'alert_id' | 'type' | 'is_resolved' | 'content'>,
    byNode: readonly NodeDelivery[],
  ): Promise<void> {
    const at = now()
    const isResolved = about.is_resolved === 1
    const sent = byNode.find(
      (channelRule) =>
        channelRule.channel === channel.id && channelRule.type === about.type && channelRule.isResolved === isResolved,
    )
    const due = endOfQuietHours(at, getRules(channel).quietHours)
    const attempts = { state: 'waiting', tries: 0, next_at: due, ended_at: null, answer: '', is_by_node: 0 }
    const id = await getDeliveryId(about.alert_id, channel.id, isResolved)
    const row: AlertDeliveryRow = { id, channel_id: channel.id, created_at: at, ...about, lease: '', ...attempts }
    await insertIfAbsent(transaction, 'alert_deliveries', sent ? { ...row, ...getColumns(sent, at) } : row)
    if (!sent) wake()
  }

  /** Ends a condition. */
  async function end(key: string, { silently = false, byNode = [] }: EndOptions = {}): Promise<void> {
    const known = await db.selectFrom('alerts').select('alert_key').where('alert_key', '=', key).executeTakeFirst()
    if (!known) return
    await runTransaction(db, async (transaction) => {
      const alert = await transaction.selectFrom('alerts').selectAll().where('alert_key', '=', key).executeTakeFirst()
      if (!alert) return
      const deletion = transaction.deleteFrom('alerts').where('id', '=', alert.id)
      if (!(await affectsRows(deletion))) return
      await endNotification(transaction, alert.id, now())
      if (silently) return
      const informed = new Set(await informedChannels(transaction, alert.id))
      const channels = (await activeChannels(transaction)).filter(({ id }) => informed.has(id))
      const last = await transaction
        .selectFrom('alert_deliveries')
        .select('content')
        .where('alert_id', '=', alert.id)
        .limit(1)
        .executeTakeFirst()
      const content = JSON.stringify({ ...JSON.parse(last?.content ?? '{}'), at: now(), detail: '' })
      const about = { alert_id: alert.id, type: alert.type, is_resolved: 1, content }
      for (const channel of channels) await queue(transaction, channel, about, byNode)
    })
  }

  return {
    /** Informs channels about a condition, unless it lasts already. `byNode` is what the node has sent itself. */
    raise,

    /** Informs channels about something that has happened and does not last. */
    async announce(transaction: Transaction, { type, server, order, detail = '' }: NewAlert): Promise<void> {
      const channels = await activeChannels(transaction)
      const content: AlertContent = { at: now(), detail, ...(server && { server }), ...(order && { order }) }
      const about = { alert_id: randomUUID(), type, is_resolved: 0, content: JSON.stringify(content) }
      for (const channel of channels.filter((one) => isForChannel(getRules(one), { type, server })))
        await queue(transaction, channel, about, [])
    },

    /** Like `raise`, in a transaction of its own. */
    report: (alert: NewAlert): Promise<void> => runTransaction(db, (transaction) => raise(transaction, alert)),

    /** Ends a condition, and informs the channels that know it. */
    resolve: (about: AlertSubject): Promise<void> => end(getAlertKey(about)),

    end,
  }
}

/** The columns of a delivery that a node has ended. */
export function getColumns(
  { state, tries: attempts, atMs, answer }: NodeDelivery,
  now: number,
): Partial<AlertDeliveryRow> {
  return { state, tries: attempts, next_at: now, ended_at: Math.min(atMs, now), answer, is_by_node: 1 }
}

/** IDs of the channels that were informed about an alert. */
async function informedChannels(on: Database, alertId: string): Promise<string[]> {
  const rows = await on
    .selectFrom('alert_deliveries')
    .select('channel_id')
    .where('alert_id', '=', alertId)
    .where('is_resolved', '=', 0)
    .execute()
  return rows.map(({ channel_id }) => channel_id)
}
