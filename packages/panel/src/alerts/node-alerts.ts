import { createHash } from 'node:crypto'
import { AlertContent } from '@innkeeper/contract/alerts/messages'
import { nodeSentChannelTypes } from '@innkeeper/contract/alerts/requests'
import {
  type NodeAlertChannel,
  type NodeAlerts,
  nodeSentAlertTypes,
  type OngoingAlert,
} from '@innkeeper/contract/node-link/node-alerts'
import type { AlertChannelRow, Database } from '../database/schema.ts'
import { textsIn } from '../mail/texts.ts'
import type { AvailabilityService } from '../nodes/availability.ts'
import type { SettingsService } from '../settings/settings.ts'
import { activeChannels } from './channel-owners.ts'
import { getRules } from './channels.ts'

interface Deps {
  readonly db: Database
  readonly settings: Pick<SettingsService, 'masterUrl'>
  readonly availability: Pick<AvailabilityService, 'isInMaintenance'>
  /** The name of a node, unless it was deleted. */
  readonly nodeName: (id: number) => Promise<string | undefined>
}

/** What nodes need to send alerts while they do not reach the panel. */
export function nodeAlertsService({ db, settings, availability, nodeName }: Deps) {
  async function readAlerts(nodeId: number): Promise<Omit<NodeAlerts, 'version'> | undefined> {
    const channels = await activeChannels(db)
    if (channels.length === 0) return undefined
    const name = await nodeName(nodeId)
    if (name === undefined || (await availability.isInMaintenance(nodeId))) return undefined
    const own = await db.selectFrom('servers').select(['id', 'name']).where('node_id', '=', nodeId).execute()
    const ids = new Set(own.map(({ id }) => id))
    const ofNode = channels.flatMap((row) => toNodeChannel(row, ids))
    if (ofNode.length === 0) return undefined
    const servers = new Set(ofNode.flatMap(({ servers }) => (servers.length > 0 ? servers : [...ids])))
    const masterUrl = await settings.masterUrl()
    return {
      node: { id: nodeId, name },
      ...(masterUrl !== undefined && { masterUrl }),
      channels: ofNode,
      titles: Object.fromEntries(ofNode.map(({ language }) => [language, titlesIn(language)])),
      servers: own.filter(({ id }) => servers.has(id)),
      lasting: await lastingAlerts(db, nodeId, new Set(ofNode.map(({ id }) => id))),
    }
  }

  return {
    /** The channels and lasting alerts of a node, unless it has this version already. */
    async changed(nodeId: number, version: string): Promise<NodeAlerts | undefined> {
      const found = await readAlerts(nodeId)
      // A node without channels has no version.
      if (!found) return version === '' ? undefined : { ...noAlerts, node: { id: nodeId, name: '' } }
      const current = createHash('sha256').update(JSON.stringify(found)).digest('base64url')
      return current === version ? undefined : { version: current, ...found }
    },
  }
}

const noAlerts = {
  version: '',
  channels: [],
  titles: {},
  servers: [],
  lasting: [],
} as const satisfies Partial<NodeAlerts>

/** A channel as its node sees it, without other servers; nothing if it does not concern the node. */
function toNodeChannel(row: AlertChannelRow, ownServers: ReadonlySet<string>): NodeAlertChannel[] {
  const { id, target, secret, language } = row
  const type = nodeSentChannelTypes.find((known) => known === row.type)
  if (!type) return []
  const { servers: all, alerts, quietHours, diskFullPercent } = getRules(row)
  const servers = all.filter((id) => ownServers.has(id))
  const isForServers = all.length === 0 || servers.length > 0
  const sent = nodeSentAlertTypes.filter((type) => alerts.includes(type) && (isForServers || type === 'diskFull'))
  if (sent.length === 0) return []
  return [{ id, type, target, secret, language, alerts: sent, servers, quietHours, diskFullPercent }]
}

function titlesIn(language: string): Record<string, string> {
  const { alerts } = textsIn(language)
  return Object.fromEntries([...nodeSentAlertTypes, 'resolved' as const].map((type) => [type, alerts[type]]))
}

/** The alerts about a node and its servers that last. */
async function lastingAlerts(db: Database, nodeId: number, channels: ReadonlySet<string>): Promise<OngoingAlert[]> {
  const rows = await db
    .selectFrom('alerts')
    .leftJoin('servers', 'servers.id', 'alerts.server_id')
    .innerJoin('alert_deliveries', 'alert_deliveries.alert_id', 'alerts.id')
    .select(['alerts.alert_key', 'alerts.id', 'alerts.type'])
    .select(['alert_deliveries.channel_id', 'alert_deliveries.state', 'alert_deliveries.content'])
    .where('alert_deliveries.is_resolved', '=', 0)
    .where(({ or, eb }) => or([eb('servers.node_id', '=', nodeId), eb('alerts.node_id', '=', nodeId)]))
    .orderBy('alerts.alert_key')
    .orderBy('alert_deliveries.id')
    .execute()
  const found = new Map<string, OngoingAlert>()
  for (const { alert_key: key, id, type, channel_id, state, content } of rows) {
    const sent = nodeSentAlertTypes.find((known) => known === type)
    if (!sent || !channels.has(channel_id)) continue
    const alert = found.get(key) ?? {
      key,
      id,
      type: sent,
      informed: [],
      waiting: [],
      content: AlertContent.parse(JSON.parse(content)),
    }
    const isEnded = state === 'sent' || state === 'failed'
    alert[isEnded ? 'informed' : 'waiting'].push(channel_id)
    found.set(key, alert)
  }
  return [...found.values()]
}
