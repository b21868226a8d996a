import type { InputOf } from '@innkeeper/contract/api/endpoint'
import type { Definition } from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { parseListenAddress } from '@innkeeper/contract/http/listen-address'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { NewServer } from '@innkeeper/contract/servers/new-server'
import type { Logger } from 'pino'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal, PrincipalWithScope, Server } from '../access/principal.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { userIdsByName } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import type { NodeClient } from '../nodes/client/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PlacementsService } from '../nodes/placements.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { applyPlacement } from './apply-placement.ts'
import { deleteOnNode } from './delete-on-node.ts'
import { matchesTemplate, validateChoices } from './raw-definition.ts'
import { emailsOfServer } from './removal.ts'
import { type OnServerAdded, serverRows } from './server-rows.ts'
import { limitTakenServerNames } from './taken-names.ts'

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor' | 'requireForCreate' | 'lockForNewServer'>
  readonly templates: Pick<TemplatesService, 'all'>
  readonly placements: Pick<PlacementsService, 'find' | 'use'>
  readonly mail: Pick<MailService, 'queue'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly log: Logger
  readonly now: () => number
}

export interface CreationOptions {
  readonly onAdd?: OnServerAdded
  /** Whether the server is disabled until the caller sets its definition. */
  readonly isIncomplete?: boolean
}

/** Creates servers: first the row, then the server on its node. */
export function serverCreation({ db, nodes, templates, placements, mail, limiter, log, now }: Deps) {
  const rows = serverRows({ db, nodes, log, now })

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

  /** Creates the server on its node. Deletes its row when the node rejects it or does not respond. */
  async function createOnNode(
    client: NodeClient,
    {
      id,
      definition,
      starts,
    }: { readonly id: string; readonly definition: InputOf<typeof Definition>; readonly starts: boolean },
    onCreated: () => Promise<void>,
  ): Promise<void> {
    const query = starts ? { start: 'true' } : {}
    let isCreated = false
    try {
      await client.call(panelEndpoints.createServer, { params: { id }, query, body: { ...definition, id } })
      isCreated = true
      await onCreated()
    } catch (error) {
      // A node that rejected the request has no server; one that timed out may have created it, or may still do so.
      const isAbsent = !isCreated && error instanceof Refusal && error.code !== 'ErrServiceNotAvailable'
      if (!isAbsent) {
        void deleteOnNode(nodes, { id, nodeId: client.nodeId }).catch((cause: unknown) =>
          log.warn({ err: cause, server: id }, 'a server that was not created could not be deleted on its node'),
        )
      }
      await rows.rollBack(id, { isAbsent })
      throw error
    }
  }

  /** The users of a new server: the given ones, and its creator. */
  async function readUsers(principal: Principal, names: readonly string[]): Promise<readonly number[]> {
    // An administrator sees it anyway; any other creator gets access to it.
    const ids = new Set(principal.isAdmin ? [] : [principal.userId])
    for (const [username, id] of await userIdsByName(db, names)) {
      if (id === undefined) throw new Refusal('ErrUserNotFound', { username })
      ids.add(id)
    }
    return [...ids]
  }

  return async function create(
    principal: PrincipalWithScope<'servers.create'>,
    newServer: NewServer,
    audit: AuditContext,
    { onAdd, isIncomplete = false }: CreationOptions = {},
  ): Promise<{ id: string }> {
    const { name, node, users, template: templateName, placement, installAndStart = false, ...rest } = newServer
    const { readme: _readme, id: _id, ...chosen } = rest
    const known = await templates.all()
    const matching = known.filter((template) => matchesTemplate(template, chosen))
    if (!principal.isAdmin && matching.length === 0) throw new Refusal('ErrMissingScope', { scope: 'servers.admin' })
    const validationErrors = matching.map((template) => validateChoices(template, chosen))
    if (validationErrors[0] && validationErrors.every(Boolean)) throw validationErrors[0]
    const placed = placement === undefined ? undefined : await placements.find(placement, principal)
    const definition = placed ? applyPlacement(chosen, placed) : chosen
    const nodeId = placed?.nodeId ?? node
    const client = await nodes.requireForCreate(nodeId)
    const address = parseListenAddress(definition.data)
    const userIds = await readUsers(principal, users ?? [])
    const template = known.find(({ name: knownName }) => knownName === templateName) ?? matching[0]
    const server = { name, nodeId, type: definition.type, template: template?.name, ...address }
    const id = await limitTakenServerNames(limiter, principal, () =>
      rows.add(server, userIds, async (transaction, added) => {
        if (placed) await placements.use(transaction, placed.id, added)
        await onAdd?.(transaction, added)
      }),
    )
    const created = isIncomplete ? { ...definition, run: { ...definition.run, disabled: true } } : definition
    await createOnNode(client, { id, definition: created, starts: installAndStart }, async () => {
      audit.setSubject({ server: id })
      await auditedTransaction(audit, db, async (transaction) => {
        await transaction.deleteFrom('unfinished_servers').where('server_id', '=', id).execute()
        await notifyAdded(transaction, principal, { id, name: name ?? id })
      })
    })
    return { id }
  }
}
