import {
  diskDetail,
  getAlertKey,
  getDiskSubject,
  isDiskFull,
  recoverableAlertTypes,
  recoveryOutcome,
} from '@innkeeper/contract/alerts/rules'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import type { Database } from '../database/schema.ts'
import type { NodeRepository } from '../nodes/node-repository.ts'
import type { LocalNode } from '../nodes/node-views.ts'
import type { NodeReports } from '../nodes/reports.ts'
import type { AlertsService } from './alerts.ts'
import { getRules } from './channels.ts'

/** Alerts that nothing resolves end after this time, so that they can be sent again. */
const maxAlertAgeMs = 7 * 24 * 60 * 60 * 1000
/** A condition that lasts is recorded at most this often. */
const refreshEveryMs = 60_000

interface Deps {
  readonly db: Database
  readonly alerts: Pick<AlertsService, 'report' | 'resolve' | 'end'>
  readonly localNode?: Pick<LocalNode, 'name'> | undefined
  readonly repository: Pick<NodeRepository, 'all'>
  readonly reports: Pick<NodeReports, 'readHealth' | 'readLastUsage'>
  readonly now: () => number
}

/** Checks what no event reports: the health of nodes, and whether crashed servers are online again. */
export function alertConditions({ db, alerts, localNode, repository, reports, now }: Deps) {
  async function checkNodes(): Promise<void> {
    const others = (await repository.all()).map(({ id, name }) => ({ id, name }))
    const nodes = localNode ? [{ id: localNodeId, name: localNode.name }, ...others] : others
    const health = await reports.readHealth(nodes.map(({ id }) => id))
    const rows = await db.selectFrom('alerts').select(['alert_key', 'type', 'node_id', 'last_at']).execute()
    const percents = await diskPercents()
    for (const node of nodes) {
      const { state, machine } = health.get(node.id) ?? {}
      if (state === undefined || state === 'waiting') continue
      // An offline node does not report its disk.
      const disk = state === 'offline' ? undefined : machine?.disk
      const conditions = [
        { type: 'nodeOffline', subject: '', holds: state === 'offline', detail: '' } as const,
        ...percents.map((percent) => ({
          type: 'diskFull' as const,
          subject: getDiskSubject(percent),
          holds: disk && isDiskFull(disk, percent),
          detail: disk ? diskDetail(disk) : '',
        })),
      ]
      for (const { type, subject, holds, detail } of conditions) {
        const known = rows.find(({ alert_key }) => alert_key === getAlertKey({ type, subject, node }))
        if (holds === true && now() - (known?.last_at ?? 0) >= refreshEveryMs)
          await alerts.report({ type, subject, node, detail })
        if (holds === false && known) await alerts.resolve({ type, subject, node })
      }
    }
    const keys = percents.flatMap((percent) =>
      nodes.map((node) => getAlertKey({ type: 'diskFull', subject: getDiskSubject(percent), node })),
    )
    // No channel has that threshold any more, or the node was deleted.
    for (const { alert_key, type } of rows)
      if (type === 'diskFull' && !keys.includes(alert_key)) await alerts.end(alert_key, { silently: true })
  }

  /** The usual threshold for full disks, and the different ones of the channels. */
  async function diskPercents(): Promise<number[]> {
    const rules = (await db.selectFrom('alert_channels').select('rules').execute()).map(getRules)
    const subscribed = rules.filter(({ alerts: types }) => types.includes('diskFull'))
    return [...new Set([limits.diskFullPercent, ...subscribed.map(({ diskFullPercent }) => diskFullPercent)])]
  }

  async function checkServers(): Promise<void> {
    const rows = await db.selectFrom('alerts').selectAll().where('server_id', 'is not', null).execute()
    const ids = [...new Set(rows.flatMap(({ server_id }) => server_id ?? []))]
    if (ids.length === 0) return
    const servers = await db.selectFrom('servers').select(['id', 'node_id']).where('id', 'in', ids).execute()
    const usage = await reports.readLastUsage(servers.map(({ id, node_id }) => ({ id, nodeId: node_id })))
    for (const { alert_key, type, server_id } of rows) {
      if (!servers.some(({ id }) => id === server_id)) {
        await alerts.end(alert_key, { silently: true })
        continue
      }
      const { status, isOld, disk } = usage.get(server_id ?? '') ?? {}
      // A node that was restarted does not know that it had reported the server.
      if (type === 'diskLimit' && disk && !status?.lowDiskSpace && !isOld) await alerts.end(alert_key)
      if (!recoverableAlertTypes.some((recoverable) => recoverable === type) || !status || isOld) continue
      const outcome = recoveryOutcome(status, now())
      if (outcome !== 'lasts') await alerts.end(alert_key, { silently: outcome === 'stopped' })
    }
  }

  return async function check(): Promise<void> {
    await checkNodes()
    await checkServers()
    const old = await db
      .selectFrom('alerts')
      .select('alert_key')
      .where('last_at', '<', now() - maxAlertAgeMs)
      .execute()
    for (const { alert_key } of old) await alerts.end(alert_key, { silently: true })
  }
}
