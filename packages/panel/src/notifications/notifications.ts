import { alertTypes } from '@innkeeper/contract/alerts/alerts'
import { type Notification, permissionOfAlert } from '@innkeeper/contract/alerts/notifications'
import { hasScope, isAdmin } from '@innkeeper/contract/api/permissions'
import type { AccessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import type { Database, NotificationRow } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ClientInfo } from '../routing/route-context.ts'
import { serversVisibleTo } from '../servers/server-filter.ts'

interface Deps {
  readonly db: Database
  readonly access: Pick<AccessService, 'visibleServers'>
  readonly nodes: Pick<NodesService, 'summaries'>
  readonly now: () => number
}

export type NotificationsService = ReturnType<typeof notificationsService>

/** The problems that a user may see. */
export function notificationsService({ db, access, nodes, now }: Deps) {
  return {
    /** The latest ones, newest first. */
    async list(principal: Principal, limit: number, from: ClientInfo): Promise<Notification[]> {
      const rows = await latest(principal, limit)
      const ids = [...new Set(rows.flatMap(({ server_id }) => server_id ?? []))]
      const servers = new Map((await access.visibleServers(principal, ids)).map((server) => [server.id, server]))
      const getSummary = await nodes.summaries(from)
      return rows.flatMap((row) => {
        const { server_id, node_id, began_at, ended_at } = row
        const type = alertTypes.find((known) => known === row.type)
        if (!type) return []
        const server = server_id === null ? undefined : servers.get(server_id)
        if (server_id !== null && !server?.permissions.has(permissionOfAlert[type] ?? 'viewServer')) return []
        return {
          id: row.id,
          type,
          at: new Date(began_at).toISOString(),
          ...(ended_at !== null && { endedAt: new Date(ended_at).toISOString() }),
          ...(server && { server: { id: server.id, name: server.name } }),
          ...(node_id !== null && { node: { id: node_id, name: getSummary(node_id).name } }),
        }
      })
    },
  }

  async function latest(principal: Principal, limit: number): Promise<NotificationRow[]> {
    const visible = serversVisibleTo(db, principal, now()).select('servers.id')
    return await db
      .selectFrom('notifications')
      .selectAll()
      .where((eb) =>
        eb.or([
          eb('server_id', 'in', visible),
          ...(hasScope(principal.scopes, 'nodes.view') ? [eb('node_id', 'is not', null)] : []),
          ...(isAdmin(principal.scopes) ? [eb.and([eb('server_id', 'is', null), eb('node_id', 'is', null)])] : []),
        ]),
      )
      .orderBy('began_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute()
  }
}
