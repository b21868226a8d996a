import {
  type RequiredPermission,
  type ServerPermissions,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { requireDeleteAllServers } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AuthorizedServer, Principal } from '../access/principal.ts'
import { mapUniqueViolation } from '../database/errors.ts'
import { requireNotMoving } from '../database/moves.ts'
import type { Database } from '../database/schema.ts'
import { nameColumns } from '../database/server-name.ts'
import type { MailService } from '../mail/mail.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PlacementsService } from '../nodes/placements.ts'
import type { ClientInfo } from '../routing/route-context.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { serverCreation } from './create-server.ts'
import { deleteOnNode } from './delete-on-node.ts'
import { deleteOnNodeLater, deleteServers } from './removal.ts'
import type { ServerListService } from './server-list.ts'
import { lockServer } from './server-version.ts'
import { limitTakenServerNames } from './taken-names.ts'

interface Deps {
  readonly db: Database
  readonly nodes: NodesService
  readonly templates: Pick<TemplatesService, 'all' | 'summary'>
  readonly placements: Pick<PlacementsService, 'find' | 'use'>
  readonly mail: Pick<MailService, 'queue'>
  readonly list: Pick<ServerListService, 'readViews'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly log: Logger
  readonly now: () => number
}

export type ServersService = ReturnType<typeof serversService>

/** Servers as stored by the panel: name, node, address, users. Their definitions are stored by the nodes. */
export function serversService({ db, nodes, templates, placements, mail, limiter, list, log, now }: Deps) {
  return {
    create: serverCreation({ db, nodes, templates, placements, mail, limiter, log, now }),

    async view(server: AuthorizedServer<'viewServer'>, from: ClientInfo): Promise<ServerDetail> {
      const [view] = await list.readViews([server], from)
      if (!view) throw new Refusal('ErrServerNotFound')
      const row = await db.selectFrom('servers').select('template').where('id', '=', server.id).executeTakeFirst()
      const template = row?.template == null ? undefined : await templates.summary(row.template)
      return template ? { ...view, template } : view
    },

    /** Throws ErrStaleVersion when the server is not `expectedVersion`. */
    async rename(
      principal: Principal,
      server: AuthorizedServer<'editServerData'>,
      { name, expectedVersion }: { readonly name: string; readonly expectedVersion: string | undefined },
      audit: AuditContext,
    ): Promise<void> {
      await limitTakenServerNames(limiter, principal, () =>
        auditedTransaction(audit, db, async (transaction) => {
          await lockServer(transaction, server.id, expectedVersion)
          const renaming = transaction.updateTable('servers').set(nameColumns(name)).where('id', '=', server.id)
          await mapUniqueViolation('servers_name_uq', 'ErrDuplicateServerName', () => renaming.execute())
        }),
      )
    },

    /**
     * Deletes the server on its node first: a running server that the panel has forgotten could not be stopped. With
     * `force`, `unfinishedServers` deletes it later on a node that does not respond.
     */
    async remove(
      principal: Principal,
      server: AuthorizedServer<'deleteServer'>,
      { force }: { readonly force: boolean },
      audit: AuditContext,
    ): Promise<void> {
      if (force) requireDeleteAllServers(principal)
      await requireNotMoving(db, server.id)
      let isOnNode = false
      try {
        await deleteOnNode(nodes, server, force ? limits.nodeCallMs : undefined)
      } catch (error) {
        if (!force) throw error
        log.warn(
          { err: error, server: server.id, nodeId: server.nodeId },
          'a server was deleted although its node did not respond',
        )
        isOnNode = true
      }
      await auditedTransaction(audit, db, async (transaction) => {
        if (isOnNode) await deleteOnNodeLater(transaction, server, now())
        await deleteServers({ mail, by: principal.userId })(transaction, [server])
      })
    },

    /** Updates address and type from the definition on the node, after it was saved there. */
    async refresh(server: AuthorizedServer<RequiredPermission>): Promise<void> {
      const client = await nodes.clientFor(server.nodeId)
      const { data, type } = await client.call(getDefinition, { params: { id: server.id } })
      const address = tryParseListenAddress(data)
      await db
        .updateTable('servers')
        .set({ ...address, type })
        .where('id', '=', server.id)
        .execute()
    },
  }
}

/** Permissions in the API format: only granted ones are present. */
export function getPermissions(principal: Principal, server: AuthorizedServer<'viewServer'>): ServerPermissions {
  const permissions = serverPermissionNames.filter((permission) => server.permissions.has(permission))
  return {
    username: principal.username,
    email: principal.email,
    serverIdentifier: server.id,
    viewServers: true,
    ...Object.fromEntries(permissions.map((permission) => [permission, true])),
    ...(server.permissions.has('deleteServer') ? { deleteServers: true } : {}),
    ...(server.permissions.has('admin') ? { admin: true } : {}),
  }
}
