import type { AlertContent } from '@innkeeper/contract/alerts/messages'
import { getAlertId, getAlertKey, isForChannel } from '@innkeeper/contract/alerts/rules'
import type { NodeAlertChannel, NodeAlerts } from '@innkeeper/contract/node-link/node-alerts'
import { nodeSentAlertTypes } from '@innkeeper/contract/node-link/node-alerts'
import { alertsEndedBy } from '@innkeeper/contract/node-link/node-events'
import { isSameMessage, type PendingEvent, type StoredDelivery } from '../panel-link/node-events.ts'

/** A message that this node must send about an event. */
export interface PlannedMessage {
  readonly event: PendingEvent
  readonly alert: string
  readonly type: (typeof nodeSentAlertTypes)[number]
  readonly channel: NodeAlertChannel
  readonly isResolved: boolean
  readonly content: AlertContent
  /** Result of the attempts so far. */
  readonly known: StoredDelivery | undefined
}

/** An alert that lasts after the events. */
export interface OpenAlert {
  readonly id: string
  readonly type: (typeof nodeSentAlertTypes)[number]
  readonly content: AlertContent
  /** Channels that know it, by ID, and whether the message has been sent. The panel sends those that are `panel`. */
  readonly informed: Map<string, 'ended' | 'waiting' | 'panel'>
}

export interface AlertPlan {
  /** In the order in which they are sent, without those that have ended. */
  readonly messages: readonly PlannedMessage[]
  /** By key. */
  readonly open: ReadonlyMap<string, OpenAlert>
}

/**
 * Applies events that the panel has not accepted to the alerts that it knew, by the rules of the panel: a channel is
 * informed once while a condition lasts, and then about its end.
 */
export async function planAlerts(alerts: NodeAlerts, events: readonly PendingEvent[]): Promise<AlertPlan> {
  const open = new Map(alerts.lasting.map((alert) => [alert.key, toOpen(alert)]))
  const planned: PlannedMessage[] = []
  for (const event of events) {
    const about = findSubject(alerts, event)
    if (!about) continue
    const ended = alertsEndedBy[event.type]
    if (ended) {
      for (const key of ended.types.map((type) => getAlertKey({ type, subject: event.subject, ...about }))) {
        const alert = open.get(key)
        open.delete(key)
        if (alert && !ended.isSilent) planned.push(...resolved(alerts, event, alert))
      }
      continue
    }
    const type = nodeSentAlertTypes.find((known) => known === event.type)
    if (!type) continue
    const alert = { type, subject: event.subject, ...about }
    const channels = alerts.channels.filter((channel) => isForChannel(channel, alert))
    if (channels.length === 0) continue
    const key = getAlertKey(alert)
    const content = { at: event.atMs, detail: event.detail, ...about }
    const known = open.get(key) ?? {
      id: await getAlertId(alerts.node.id, event.id),
      type,
      content,
      informed: new Map(),
    }
    open.set(key, known)
    for (const channel of channels.filter(({ id }) => !known.informed.has(id))) {
      const message = getMessage(event, { alert: known.id, type, channel, isResolved: false, content })
      known.informed.set(channel.id, isEnded(message) ? 'ended' : 'waiting')
      planned.push(message)
    }
  }
  return { messages: planned.filter((message) => !isEnded(message)), open }
}

/** The messages about the end of an alert to the channels that know it. */
function resolved(alerts: NodeAlerts, event: PendingEvent, alert: OpenAlert): PlannedMessage[] {
  const content = { ...alert.content, at: event.atMs, detail: '' }
  return alerts.channels.flatMap((channel) => {
    // Others wait for the message that the alert has begun.
    if (alert.informed.get(channel.id) !== 'ended') return []
    return [getMessage(event, { alert: alert.id, type: alert.type, channel, isResolved: true, content })]
  })
}

function getMessage(event: PendingEvent, message: Omit<PlannedMessage, 'event' | 'known'>): PlannedMessage {
  const about = { alert: message.alert, channel: message.channel.id, isResolved: message.isResolved }
  return { ...message, event, known: event.deliveries.find((known) => isSameMessage(known, about)) }
}

const isEnded = ({ known }: PlannedMessage): boolean => known !== undefined && known.state !== 'waiting'

/** The server or node of an event; `undefined` for a server without channels. */
function findSubject(
  { node, servers }: NodeAlerts,
  { server: id }: PendingEvent,
): Pick<AlertContent, 'server' | 'node'> | undefined {
  if (id === '') return { node }
  const server = servers.find((known) => known.id === id)
  return server && { server }
}

function toOpen({ id, type, content, informed, waiting }: NodeAlerts['lasting'][number]): OpenAlert {
  return {
    id,
    type,
    content,
    informed: new Map([
      ...informed.map((channel) => [channel, 'ended'] as const),
      ...waiting.map((channel) => [channel, 'panel'] as const),
    ]),
  }
}
