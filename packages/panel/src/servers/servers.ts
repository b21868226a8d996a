import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { parseListenAddress, tryParseListenAddress } from '@innkeeper/contract/listen-address'
import { getDefinition, panelOnlyEndpoints } from '@innkeeper/contract/node-servers'
import {
  canSeeAllServers,
  type RequiredPermission,
  type ServerPermissions,
  serverPermissionNames,
} from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { NewServer, OneServerView } from '@innkeeper/contract/servers'
import type { Logger } from 'pino'
import { formatPermissions, requireDeleteAllServers } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AuthorizedServer, Principal, PrincipalWithScope, Server } from '../access/principal.ts'
import type { RateLimiter } from '../auth/rate-limiter.ts'
import { isDatabaseError, isUniqueViolation, mapUniqueViolation } from '../database/errors.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import { panelIdentity, panelIdentityOn } from '../nodes/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ClientInfo } from '../routing/route-context.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { userIdsByName } from '../users/users.ts'
import { matchesTemplate, validateChoices } from './raw-definition.ts'
import { deleteOnNodeLater, deleteServers, emailsOfServer } from './removal.ts'
import type { ServerListService } from './server-list.ts'

interface Deps {
  readonly db: Database
  readonly nodes: NodesService
  readonly templates: Pick<TemplatesService, 'all' | 'summary'>
  readonly mail: Pick<MailService, 'queue'>
  readonly list: Pick<ServerListService, 'viewsOf'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly log: Logger
  readonly now: () => number
}

const idAttempts = 5

export type ServersService = ReturnType<typeof serversService>

/** Servers as stored by the panel: name, node, address, users. Their definitions are stored by the nodes. */
export function serversService({ db, nodes, templates, mail, limiter, list, log, now }: Deps) {
  /**
   * Limits attempts with taken names: the error reveals that a server has the name, also one that the user cannot see.
   */
  async function limitTakenNames<T>(principal: Principal, operation: () => Promise<T>): Promise<T> {
    if (canSeeAllServers(principal.scopes)) return await operation()
    const attempt = { key: `taken server name ${principal.userId}`, max: limits.takenServerNames }
    await limiter.consume([attempt])
    try {
      const result = await operation()
      await limiter.refund([attempt])
      return result
    } catch (error) {
      if (error instanceof Refusal && error.code !== 'ErrDuplicateServerName') await limiter.refund([attempt])
      throw error
    }
  }

  /** Inserts the row and its users; retries with another ID when one is taken. */
  async function addRow(
    server: Omit<Server, 'id' | 'name'> & { readonly template: string | undefined },
    name: string | undefined,
    users: readonly number[],
  ) {
    for (let tried = 1; ; tried++) {
      const id = randomBytes(4).toString('hex')
      const row = {
        id,
        name: name ?? id,
        node_id: server.nodeId,
        ip: server.ip,
        port: server.port,
        type: server.type,
        created_at: now(),
        template: server.template ?? null,
      }
      try {
        await runTransaction(db, async (transaction) => {
          await nodes.lockForUpdate(transaction, server.nodeId)
          const inserting = transaction.insertInto('servers').values(row)
          await mapUniqueViolation('servers_name_uq', 'ErrDuplicateServerName', () => inserting.execute())
          const rights = formatPermissions(serverPermissionNames)
          const people = users.map((user) => ({ server_id: id, user_id: user, rights }))
          if (people.length > 0) await transaction.insertInto('server_users').values(people).execute()
          const creation = { server_id: id, node_id: server.nodeId, created_at: now() }
          await transaction.insertInto('unfinished_servers').values(creation).execute()
        })
        return id
      } catch (error) {
        // The insert may have succeeded although the response was lost.
        if (isDatabaseError(error)) await rollbackRow(id, { isAbsent: true })
        if (tried >= idAttempts || !isUniqueViolation(error)) throw error
      }
    }
  }

  /**
   * Deletes the row of a server that was not created; retries during a database outage. Unless it is certain that the
   * node has no such server, `UnfinishedServers` continues the cleanup.
   */
  async function rollbackRow(id: string, { isAbsent }: { readonly isAbsent: boolean }): Promise<void> {
    const remove = () =>
      runTransaction(db, async (transaction) => {
        await transaction.deleteFrom('servers').where('id', '=', id).execute()
        if (isAbsent) await transaction.deleteFrom('unfinished_servers').where('server_id', '=', id).execute()
      })
    try {
      await remove()
    } catch (error) {
      if (!isDatabaseError(error)) throw error
      void retry(remove).catch((cause: unknown) =>
        log.warn({ err: cause, server: id }, 'a server that was not created is still in the database: delete it'),
      )
    }
  }

  /** Deletes the server on its node; one that the node does not have is already deleted. */
  async function removeFromNode(nodeId: number, id: string, timeoutMs: number = limits.nodeRemoveMs): Promise<void> {
    const path = panelOnlyEndpoints.remove.path.replace(':id', id)
    try {
      const client = await nodes.clientFor(nodeId)
      await client.request(panelIdentity, { method: panelOnlyEndpoints.remove.method, path, timeoutMs })
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 404)) throw error
    }
  }

  /** Mails the users of a new server, except its creator. */
  async function notifyAdded(
    transaction: Transaction,
    principal: Principal,
    { id, name }: Pick<Server, 'id' | 'name'>,
  ): Promise<void> {
    const facts = { server: name, serverId: id, by: principal.username }
    for (const to of await emailsOfServer(transaction, id)) {
      if (to !== principal.email) await mail.queue(transaction, 'addedToServer', { to, by: principal.userId }, facts)
    }
  }

  return {
    async create(
      principal: PrincipalWithScope<'servers.create'>,
      newServer: NewServer,
      audit: AuditContext,
    ): Promise<{ id: string }> {
      const { name, node: nodeId, users, template: givenName, readme: _readme, id: _id, ...definition } = newServer
      const known = await templates.all()
      const models = known.filter((template) => matchesTemplate(template, definition))
      if (!principal.isAdmin && models.length === 0) throw new Refusal('ErrMissingScope', { scope: 'servers.admin' })
      const objections = models.map((template) => validateChoices(template, definition))
      if (objections[0] && objections.every(Boolean)) throw objections[0]
      const client = await nodes.requireForCreate(nodeId)
      const address = parseListenAddress(definition.data)
      const people = await userIdsByName(db, users ?? [])
      // An administrator sees it anyway; any other creator gets access to it.
      const ids = new Set(principal.isAdmin ? [] : [principal.userId])
      for (const [username, id] of people) {
        if (id === undefined) throw new Refusal('ErrUserNotFound', { username })
        ids.add(id)
      }

      const template = known.find((one) => one.name === givenName) ?? models[0]
      const server = { nodeId, type: definition.type, template: template?.name, ...address }
      const id = await limitTakenNames(principal, () => addRow(server, name, [...ids]))
      let isCreated = false
      try {
        const path = panelOnlyEndpoints.create.path.replace(':id', id)
        await client.request(panelIdentity, {
          method: panelOnlyEndpoints.create.method,
          path,
          body: { ...definition, id },
        })
        isCreated = true
        audit.setSubject({ server: id })
        await auditedTransaction(audit, db, async (transaction) => {
          await transaction.deleteFrom('unfinished_servers').where('server_id', '=', id).execute()
          await notifyAdded(transaction, principal, { id, name: name ?? id })
        })
      } catch (error) {
        // A node that rejected the request has no server; one that timed out may have created it, or may still do so.
        const isAbsent = !isCreated && error instanceof Refusal && error.code !== 'ErrServiceNotAvailable'
        if (!isAbsent) {
          void removeFromNode(nodeId, id).catch((cause: unknown) =>
            log.warn({ err: cause, server: id }, 'a server that was not created could not be deleted on its node'),
          )
        }
        await rollbackRow(id, { isAbsent })
        throw error
      }
      return { id }
    },

    async view(server: AuthorizedServer<'viewServer'>, from: ClientInfo): Promise<OneServerView> {
      const [view] = await list.viewsOf([server], from)
      if (!view) throw new Refusal('ErrServerNotFound')
      const row = await db.selectFrom('servers').select('template').where('id', '=', server.id).executeTakeFirst()
      const template = row?.template == null ? undefined : await templates.summary(row.template)
      return template ? { ...view, template } : view
    },

    async rename(
      principal: Principal,
      server: AuthorizedServer<'editServerData'>,
      name: string,
      audit: AuditContext,
    ): Promise<void> {
      await limitTakenNames(principal, () =>
        auditedTransaction(audit, db, async (transaction) => {
          const renaming = transaction.updateTable('servers').set({ name }).where('id', '=', server.id)
          await mapUniqueViolation('servers_name_uq', 'ErrDuplicateServerName', () => renaming.execute())
        }),
      )
    },

    /**
     * Deletes the server on its node first: a running server that the panel has forgotten could not be stopped. With
     * `force`, `UnfinishedServers` deletes it later on a node that does not respond.
     */
    async remove(
      principal: Principal,
      server: AuthorizedServer<'deleteServer'>,
      { force }: { readonly force: boolean },
      audit: AuditContext,
    ): Promise<void> {
      if (force) requireDeleteAllServers(principal)
      let isOnNode = false
      try {
        await removeFromNode(server.nodeId, server.id, force ? limits.nodeCallMs : undefined)
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
      const path = getDefinition.path.replace(':id', server.id)
      const client = await nodes.clientFor(server.nodeId)
      const response = await client.request(panelIdentityOn(server.id), { method: 'GET', path })
      const { data, type } = getDefinition.response.parse(response)
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
export function permissionsOf(principal: Principal, server: AuthorizedServer<'viewServer'>): ServerPermissions {
  const flags = serverPermissionNames.filter((flag) => server.rights.has(flag))
  return {
    username: principal.username,
    email: principal.email,
    serverIdentifier: server.id,
    viewServers: true,
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(server.rights.has('deleteServer') ? { deleteServers: true } : {}),
    ...(server.rights.has('admin') ? { admin: true } : {}),
  }
}

/** Retries during a database outage, for a limited time. */
async function retry(work: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + limits.rollbackDeadlineMs
  for (;;) {
    // The timer does not keep the process alive.
    await pause(limits.rollbackRetryMs, undefined, { ref: false })
    try {
      await work()
      return
    } catch (error) {
      if (!isDatabaseError(error) || performance.now() > until) throw error
    }
  }
}
