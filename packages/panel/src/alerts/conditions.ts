import { localNodeId } from '@innkeeper/contract/nodes'
import { hasCrashed } from '@innkeeper/contract/status'
import type { Database } from '../database/schema.ts'
import type { NodeRepository } from '../nodes/node-repository.ts'
import type { LocalNode } from '../nodes/node-views.ts'
import type { NodeReports } from '../nodes/reports.ts'
import type { AlertsService } from './alerts.ts'

/** How long a server must be online until its crash is resolved. */
export const recoveredAfterMs = 5 * 60 * 1000
/** Alerts that nothing resolves end after this time, so that they can be sent again. */
const maxAlertAgeMs = 7 * 24 * 60 * 60 * 1000
/** A condition that lasts is recorded at most this often. */
const refreshEveryMs = 60_000

const crashTypes = ['crashed', 'crashLimit', 'outOfMemory']

interface Deps {
  readonly db: Database
  readonly alerts: Pick<AlertsService, 'report' | 'resolve' | 'end'>
  readonly localNode?: Pick<LocalNode, 'name'> | undefined
  readonly repository: Pick<NodeRepository, 'all'>
  readonly reports: Pick<NodeReports, 'healthOf' | 'lastUsageOf'>
  readonly now: () => number
}

/** Checks what no event tells: the health of nodes, and whether crashed servers are online again. */
export function alertConditions({ db, alerts, localNode, repository, reports, now }: Deps) {
  async function checkNodes(): Promise<void> {
    const others = (await repository.all()).map(({ id, name }) => ({ id, name }))
    const nodes = localNode ? [{ id: localNodeId, name: localNode.name }, ...others] : others
    const health = await reports.healthOf(nodes.map(({ id }) => id))
    const rows = await db.selectFrom('alerts').select(['type', 'node_id', 'last_at']).execute()
    for (const node of nodes) {
      const { state, problems = [] } = health.get(node.id) ?? {}
      if (state === undefined || state === 'waiting') continue
      const conditions = [
        { type: 'nodeOffline', holds: state === 'offline' },
        // An offline node does not report its disk.
        { type: 'diskFull', holds: state === 'offline' ? undefined : problems.includes('diskFull') },
      ] as const
      for (const { type, holds } of conditions) {
        const known = rows.find((row) => row.type === type && row.node_id === node.id)
        if (holds === true && now() - (known?.last_at ?? 0) >= refreshEveryMs) await alerts.report({ type, node })
        if (holds === false && known) await alerts.resolve({ type, node })
      }
    }
  }

  async function checkServers(): Promise<void> {
    const rows = await db.selectFrom('alerts').selectAll().where('server_id', 'is not', null).execute()
    const ids = [...new Set(rows.flatMap(({ server_id }) => server_id ?? []))]
    if (ids.length === 0) return
    const servers = await db.selectFrom('servers').select(['id', 'node_id']).where('id', 'in', ids).execute()
    const usage = await reports.lastUsageOf(servers.map(({ id, node_id }) => ({ id, nodeId: node_id })))
    for (const { alert_key, type, server_id } of rows) {
      if (!servers.some(({ id }) => id === server_id)) {
        await alerts.end(alert_key, { silently: true })
        continue
      }
      const { status, isOld, disk } = usage.get(server_id ?? '') ?? {}
      // A node that was restarted does not know that it had reported the server.
      if (type === 'diskLimit' && disk && !status?.lowDiskSpace && !isOld) await alerts.end(alert_key)
      if (!crashTypes.includes(type) || !status || isOld) continue
      const isRecovered = status.state === 'online' && now() - Date.parse(status.since) >= recoveredAfterMs
      if (isRecovered) await alerts.end(alert_key)
      // A user stopped it: it neither crashed nor recovered.
      else if (status.state === 'offline' && !hasCrashed(status)) await alerts.end(alert_key, { silently: true })
    }
  }

  return async function check(): Promise<void> {
    const [channel] = await db.selectFrom('alert_channels').select('id').limit(1).execute()
    if (!channel) return
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
