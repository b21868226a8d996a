import { randomUUID } from 'node:crypto'
import { type AlertType, type NodeEvent, serverAlertTypes } from '@innkeeper/contract/alerts'
import { insertIfAbsent, runTransaction } from '../database/rows.ts'
import type { AlertChannelRow, AlertDeliveryRow, Database, Transaction } from '../database/schema.ts'
import { ChannelRules } from './channels.ts'
import type { AlertContent } from './messages.ts'
import { endOfQuietHours } from './quiet-hours.ts'

/** Something to inform channels about. */
export interface NewAlert {
  readonly type: AlertType
  /** Distinguishes alerts of the same type about the same server or node. */
  readonly subject?: string
  readonly server?: { readonly id: string; readonly name: string } | undefined
  readonly node?: { readonly id: number; readonly name: string } | undefined
  /** In English. */
  readonly detail?: string
  /** Epoch milliseconds; now by default. */
  readonly at?: number
}

interface Deps {
  readonly db: Database
  /** Wakes the worker after a delivery was queued. */
  readonly wake: () => void
  readonly now: () => number
}

type AlertAbout = Pick<NewAlert, 'type' | 'subject'> & {
  readonly server?: { readonly id: string } | undefined
  readonly node?: { readonly id: number } | undefined
}

/** The alerts that events of nodes resolve. */
const resolvedBy: Readonly<Partial<Record<NodeEvent['type'], AlertType>>> = {
  taskDone: 'taskFailed',
  backupDone: 'backupFailed',
  diskLimitDone: 'diskLimit',
}

const keyOf = ({ type, subject = '', server, node }: AlertAbout): string =>
  [type, server?.id ?? (node ? `node ${node.id}` : ''), subject].filter((part) => part !== '').join(':')

export type AlertsService = ReturnType<typeof alertsService>

/**
 * Conditions that last, and the deliveries to channels. A channel is informed once for each condition, on whatever
 * panel it was noticed.
 */
export function alertsService({ db, wake, now }: Deps) {
  async function raise(transaction: Transaction, alert: NewAlert): Promise<void> {
    const channels = (await enabledChannels(transaction)).filter((channel) => isFor(channel, alert))
    if (channels.length === 0) return
    const [key, at] = [keyOf(alert), now()]
    const { type, server, node, detail = '' } = alert
    const subject = { server_id: server?.id ?? null, node_id: node?.id ?? null }
    const times = { opened_at: at, last_at: at }
    await insertIfAbsent(transaction, 'alerts', { alert_key: key, id: randomUUID(), type, ...subject, ...times })
    // Also locks the row, so that no other panel informs a channel at the same time.
    await transaction.updateTable('alerts').set({ last_at: at }).where('alert_key', '=', key).execute()
    const { id } = await transaction
      .selectFrom('alerts')
      .select('id')
      .where('alert_key', '=', key)
      .executeTakeFirstOrThrow()
    const informed = new Set(await informedChannels(transaction, id))
    const content: AlertContent = { at: alert.at ?? at, detail, ...(server && { server }), ...(node && { node }) }
    for (const channel of channels.filter((channel) => !informed.has(channel.id)))
      await queue(transaction, channel, { alert_id: id, type, is_resolved: 0, content: JSON.stringify(content) })
  }

  async function queue(
    transaction: Transaction,
    { id, rules }: Pick<AlertChannelRow, 'id' | 'rules'>,
    about: Pick<AlertDeliveryRow, 'alert_id' | 'type' | 'is_resolved' | 'content'>,
  ): Promise<void> {
    const at = now()
    const due = endOfQuietHours(at, ChannelRules.parse(JSON.parse(rules)).quietHours)
    const attempts = { state: 'waiting', tries: 0, next_at: due, ended_at: null, lease: '', answer: '' }
    const row: AlertDeliveryRow = { id: randomUUID(), channel_id: id, created_at: at, ...about, ...attempts }
    await transaction.insertInto('alert_deliveries').values(row).execute()
    wake()
  }

  /** Ends a condition; `silently` without informing the channels. */
  async function end(key: string, { silently = false } = {}): Promise<void> {
    const known = await db.selectFrom('alerts').select('alert_key').where('alert_key', '=', key).executeTakeFirst()
    if (!known) return
    await runTransaction(db, async (transaction) => {
      const alert = await transaction.selectFrom('alerts').selectAll().where('alert_key', '=', key).executeTakeFirst()
      if (!alert) return
      const { numDeletedRows } = await transaction.deleteFrom('alerts').where('id', '=', alert.id).executeTakeFirst()
      if (numDeletedRows === 0n || silently) return
      const informed = new Set(await informedChannels(transaction, alert.id))
      const channels = (await enabledChannels(transaction)).filter(({ id }) => informed.has(id))
      const last = await transaction
        .selectFrom('alert_deliveries')
        .select('content')
        .where('alert_id', '=', alert.id)
        .limit(1)
        .executeTakeFirst()
      const content = JSON.stringify({ ...JSON.parse(last?.content ?? '{}'), at: now(), detail: '' })
      for (const channel of channels)
        await queue(transaction, channel, { alert_id: alert.id, type: alert.type, is_resolved: 1, content })
    })
  }

  /** Applies one event of a node. An event that arrives again, also at another panel, has no effect. */
  async function receive(nodeId: number, event: NodeEvent): Promise<void> {
    const done = resolvedBy[event.type]
    if (done !== undefined) return end(keyOf({ type: done, subject: event.subject, server: { id: event.server } }))
    const type = serverAlertTypes.find((known) => known === event.type)
    if (!type) return
    await runTransaction(db, async (transaction) => {
      if (!(await insertIfAbsent(transaction, 'alert_events', { id: event.id, at: now() }))) return
      const server = await transaction
        .selectFrom('servers')
        .select(['id', 'name'])
        .where('id', '=', event.server)
        .where('node_id', '=', nodeId)
        .executeTakeFirst()
      if (!server) return
      await raise(transaction, { type, subject: event.subject, server, detail: event.detail, at: event.atMs })
    })
  }

  return {
    /** Informs channels about a condition, unless it lasts already. */
    raise,

    /** The same in a transaction of its own. */
    report: (alert: NewAlert): Promise<void> => runTransaction(db, (transaction) => raise(transaction, alert)),

    /** Ends a condition, and informs the channels that know it. */
    resolve: (about: AlertAbout): Promise<void> => end(keyOf(about)),

    end,

    /** Events of a node, oldest first. Events about servers of other nodes are ignored. */
    async receive(nodeId: number, events: readonly NodeEvent[]): Promise<void> {
      for (const event of events) await receive(nodeId, event)
    },
  }
}

const enabledChannels = (on: Database): Promise<AlertChannelRow[]> =>
  on.selectFrom('alert_channels').selectAll().where('is_enabled', '=', 1).execute()

function isFor({ rules }: AlertChannelRow, { type, server }: NewAlert): boolean {
  const { alerts, servers } = ChannelRules.parse(JSON.parse(rules))
  return alerts.includes(type) && (!server || servers.length === 0 || servers.includes(server.id))
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
