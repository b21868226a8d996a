import { alertTypes } from '@innkeeper/contract/alerts/alerts'
import { AlertContent } from '@innkeeper/contract/alerts/messages'
import { getAlertId, getAlertKey, getDeliveryId } from '@innkeeper/contract/alerts/rules'
import { alertsEndedBy, type NodeEvent } from '@innkeeper/contract/node-link/node-events'
import { insertIfAbsent, runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { type AlertsService, getColumns, type NewAlert } from './alerts.ts'

interface Deps {
  readonly db: Database
  readonly alerts: Pick<AlertsService, 'raise' | 'end'>
  /** The name of a node, unless it was deleted. */
  readonly nodeName: (id: number, on?: Database) => Promise<string | undefined>
  readonly now: () => number
}

/** Turns events of nodes into alerts. */
export function nodeEventsService({ db, alerts, nodeName, now }: Deps) {
  /** What an event is about: the node or one of its servers; `undefined` for a server of another node. */
  async function readSubject(
    nodeId: number,
    { server: id }: NodeEvent,
    on: Database,
  ): Promise<Pick<NewAlert, 'server' | 'node'> | undefined> {
    if (id === '') {
      const name = await nodeName(nodeId, on)
      return name === undefined ? undefined : { node: { id: nodeId, name } }
    }
    const rows = on.selectFrom('servers').select(['id', 'name']).where('id', '=', id).where('node_id', '=', nodeId)
    const server = await rows.executeTakeFirst()
    return server && { server }
  }

  /** Ends alerts. An event that arrives again finds none. */
  async function end(nodeId: number, event: NodeEvent, ended: NonNullable<(typeof alertsEndedBy)[NodeEvent['type']]>) {
    const { server, subject, deliveries: byNode } = event
    const about = server === '' ? { node: { id: nodeId } } : { server: { id: server } }
    const keys = ended.types.map((type) => getAlertKey({ type, subject, ...about }))
    const known = await db.selectFrom('alerts').select('alert_key').where('alert_key', 'in', keys).execute()
    if (known.length === 0 || !(await readSubject(nodeId, event, db))) return
    for (const { alert_key } of known) await alerts.end(alert_key, { silently: ended.isSilent, byNode })
  }

  async function raise(nodeId: number, event: NodeEvent): Promise<void> {
    const type = alertTypes.find((known) => known === event.type)
    if (!type) return
    const newId = await getAlertId(nodeId, event.id)
    await runTransaction(db, async (transaction) => {
      if (!(await insertIfAbsent(transaction, 'alert_events', { id: event.id, at: now() }))) return
      const about = await readSubject(nodeId, event, transaction)
      if (!about) return
      const { subject, detail, atMs: at } = event
      await alerts.raise(transaction, { type, subject, detail, at, id: newId, ...about }, event.deliveries)
    })
  }

  /** Records what the node has sent since it reported the event for the first time. */
  async function recordLater(nodeId: number, event: NodeEvent): Promise<void> {
    for (const delivery of event.deliveries ?? []) {
      const id = await getDeliveryId(delivery.alert, delivery.channel, delivery.isResolved)
      const waiting = db.selectFrom('alert_deliveries').select('content').where('id', '=', id)
      const row = await waiting.where('state', '=', 'waiting').executeTakeFirst()
      if (!row) continue
      // A node must not end deliveries about servers of others.
      const about = await readSubject(nodeId, event, db)
      const content = AlertContent.parse(JSON.parse(row.content))
      if (!about || about.server?.id !== content.server?.id || about.node?.id !== content.node?.id) continue
      await db
        .updateTable('alert_deliveries')
        .set(getColumns(delivery, now()))
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .execute()
    }
  }

  return {
    /**
     * Applies events, oldest first. Those about servers of other nodes are ignored, and an event that arrives again, also
     * at another panel, has no effect.
     */
    async receive(nodeId: number, events: readonly NodeEvent[]): Promise<void> {
      for (const event of events) {
        const ended = alertsEndedBy[event.type]
        if (ended) await end(nodeId, event, ended)
        else await raise(nodeId, event)
        await recordLater(nodeId, event)
      }
    },
  }
}
