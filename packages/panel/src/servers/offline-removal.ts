import type { AuditAction } from '@innkeeper/contract/api/audit-actions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { ActivityLog } from '../activity/activity.ts'
import type { Database, NodeRow, ServerRow } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import { nodeAdminService } from '../nodes/node-admin.ts'
import type { NodeRepository } from '../nodes/node-repository.ts'
import { fromCommandLine } from '../users/cli-users.ts'
import { deleteOnNodeLater, deleteServers } from './removal.ts'

interface Deps {
  readonly db: Database
  readonly repository: Pick<NodeRepository, 'all' | 'forget'>
  readonly mail: Pick<MailService, 'queue'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/** A node as the command line lists it. */
export interface ListedNode {
  readonly id: number
  readonly name: string
  readonly host: string
  /** How many servers it has. */
  readonly servers: number
}

export type OfflineRemoval = ReturnType<typeof offlineRemoval>

/** Removes nodes and servers for the operator of the machine, from the database only; sends no request to a node. */
export function offlineRemoval({ db, repository, mail, activity, now }: Deps) {
  const nodes = nodeAdminService({ db, repository, now })

  /** Records the action in the audit log as coming from the command line. */
  function actingAs(action: AuditAction, about: { server?: string; target?: string }): AuditContext {
    const entry = { action, from: fromCommandLine, result: 'done', ...about } as const
    return {
      setActor: () => {},
      setSubject: () => {},
      skip: () => {},
      record: async (transaction) => void (await activity.record(entry, transaction)),
    }
  }

  async function findNode(idOrName: string): Promise<NodeRow> {
    const node = (await repository.all()).find(({ id, name }) => `#${id}` === idOrName || name === idOrName)
    if (!node) throw new Refusal('ErrNotFound')
    return node
  }

  async function findServer(idOrName: string): Promise<ServerRow> {
    const servers = db.selectFrom('servers').selectAll()
    const server =
      (await servers.where('id', '=', idOrName).executeTakeFirst()) ??
      (await servers.where('name', '=', idOrName).executeTakeFirst())
    if (!server) throw new Refusal('ErrServerNotFound')
    return server
  }

  return {
    findNode,
    findServer,

    /** Every node but the local one, with its number of servers. */
    async listNodes(): Promise<readonly ListedNode[]> {
      const counts = await db
        .selectFrom('servers')
        .select(['node_id', ({ fn }) => fn.countAll<number | bigint | string>().as('total')])
        .groupBy('node_id')
        .execute()
      const totals = new Map(counts.map(({ node_id, total }) => [node_id, Number(total)]))
      return (await repository.all()).map(({ id, name, public_host }) => ({
        id,
        name,
        host: public_host,
        servers: totals.get(id) ?? 0,
      }))
    },

    /** Refused while the node has servers, unless `force` deletes these too. */
    async deleteNode({ id, name }: NodeRow, { force }: { readonly force: boolean }): Promise<void> {
      const audit = actingAs('node.delete', { target: `${name} (${id})` })
      await nodes.remove(id, audit, force ? deleteServers({ mail }) : undefined)
    },

    /** A running panel deletes the server on its node as soon as the node answers. */
    async deleteServer(server: ServerRow): Promise<void> {
      await auditedTransaction(actingAs('server.delete', { server: server.id }), db, async (transaction) => {
        await deleteOnNodeLater(transaction, { id: server.id, nodeId: server.node_id }, now())
        await deleteServers({ mail })(transaction, [server])
      })
    },
  }
}
