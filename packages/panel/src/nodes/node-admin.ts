import { Refusal } from '@innkeeper/contract/errors/refusals'
import { localNodeId, type NewNode, type NodeChange } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { mapUniqueViolation } from '../database/errors.ts'
import { deleteEvacuation, serversMovedOn } from '../database/moves.ts'
import { affectsRows, lock, nextId } from '../database/rows.ts'
import type { Database, NodeRow, Transaction } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'
import { newToken } from '../security/secrets.ts'
import { getEditablePart, type NodeRepository, toNode } from './node-repository.ts'

interface Deps {
  readonly db: Database
  readonly repository: Pick<NodeRepository, 'forget'>
  readonly now: () => number
}

/** Deletes servers from the database. */
export type DeleteServers = (
  transaction: Transaction,
  servers: readonly { readonly id: string; readonly name: string }[],
) => Promise<void>

/** The default port of nodes. */
const defaultPort = 5656

export type NodeAdminService = ReturnType<typeof nodeAdminService>

/** Adds, changes and deletes nodes other than the local one. */
export function nodeAdminService({ db, repository, now }: Deps) {
  return {
    async add(node: NewNode, audit: AuditContext): Promise<NodeRow> {
      const { name, publicHost, publicPort, sftpPort } = node
      const values = {
        name,
        name_key: name.toLowerCase(),
        public_host: publicHost,
        public_port: publicPort || 8080,
        private_host: node.isBehindNat ? '' : node.privateHost || publicHost,
        private_port: node.privatePort || defaultPort,
        sftp_port: sftpPort || 5657,
      }
      requireDifferentPorts(values)
      const row = await auditedTransaction(audit, db, async (transaction) => {
        const made: NodeRow = {
          ...values,
          id: await nextId(transaction, 'nodes'),
          secret: newToken(),
          certificate: '',
          joined_at: null,
          created_at: now(),
        }
        audit.setSubject({ target: `${made.name} (${made.id})` })
        await mapUniqueViolation('nodes_name_uq', 'ErrDuplicateNodeName', () =>
          transaction.insertInto('nodes').values(made).execute(),
        )
        return made
      })
      repository.forget()
      return row
    },

    async edit(nodeId: number, change: NodeChange, audit: AuditContext, expectedVersion?: string): Promise<void> {
      if (nodeId === localNodeId) throw new Refusal('ErrNodeIsLocal')
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'edited nodes')
        const before = await transaction.selectFrom('nodes').selectAll().where('id', '=', nodeId).executeTakeFirst()
        if (!before) throw new Refusal('ErrNotFound')
        requireCurrent(expectedVersion, getEditablePart(toNode(before)))
        const after = getChangedColumns(before, change)
        requireDifferentPorts(after)
        await mapUniqueViolation('nodes_name_uq', 'ErrDuplicateNodeName', () =>
          transaction.updateTable('nodes').set(after).where('id', '=', nodeId).execute(),
        )
      })
      repository.forget()
    },

    /**
     * Sends no request to the node. Fails while it has servers, with the names of the first ones, unless these are
     * deleted too.
     */
    async remove(nodeId: number, audit: AuditContext, deleteServers?: DeleteServers): Promise<void> {
      if (nodeId === localNodeId) throw new Refusal('ErrNodeIsLocal')
      await auditedTransaction(audit, db, async (transaction) => {
        // Locks the node first: a server that is being created there is found below, or its creation fails.
        const deletion = transaction.deleteFrom('nodes').where('id', '=', nodeId)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
        const servers = await transaction
          .selectFrom('servers')
          .select(['id', 'name'])
          .where('node_id', '=', nodeId)
          .orderBy('name')
          .execute()
        const moved = await serversMovedOn(transaction, nodeId)
        if (moved.length > 0 && !deleteServers) throw new Refusal('ErrNodeHasServers', { servers: moved.join(', ') })
        if (servers.length > 0 && !deleteServers) {
          const names = servers.slice(0, limits.pageSizeMax).map(({ name }) => name)
          throw new Refusal('ErrNodeHasServers', { servers: names.join(', ') })
        }
        await deleteServers?.(transaction, servers)
        await transaction.deleteFrom('unfinished_servers').where('node_id', '=', nodeId).execute()
        if (moved.length > 0) await transaction.deleteFrom('moves').where('server_id', 'in', moved).execute()
        await deleteEvacuation(transaction, nodeId)
        await transaction.deleteFrom('node_keys').where('node_id', '=', nodeId).execute()
        await transaction.deleteFrom('node_ports').where('node_id', '=', nodeId).execute()
        await transaction.deleteFrom('node_availability').where('node_id', '=', nodeId).execute()
        await transaction.deleteFrom('node_placement').where('node_id', '=', nodeId).execute()
        await transaction.deleteFrom('placements').where('node_id', '=', nodeId).execute()
        await transaction.deleteFrom('node_retention').where('node_id', '=', nodeId).execute()
        await transaction.deleteFrom('node_reports').where('node_id', '=', nodeId).execute()
      })
      repository.forget()
    },

    /** Replaces the join secret; tokens signed with the node's old key become invalid. */
    async replaceSecret(nodeId: number, audit: AuditContext): Promise<void> {
      if (nodeId === localNodeId) throw new Refusal('ErrNodeIsLocal')
      await auditedTransaction(audit, db, async (transaction) => {
        const update = transaction
          .updateTable('nodes')
          .set({ secret: newToken(), joined_at: null, certificate: '' })
          .where('id', '=', nodeId)
        if (!(await affectsRows(update))) throw new Refusal('ErrNotFound')
        await transaction.deleteFrom('node_keys').where('node_id', '=', nodeId).execute()
      })
      repository.forget()
    },
  }
}

/** SFTP cannot use the same port as HTTP. */
function requireDifferentPorts(node: Pick<NodeRow, 'public_port' | 'private_port' | 'sftp_port'>): void {
  if (node.sftp_port === node.public_port)
    throw new Refusal('ErrFieldEqual', { field1: 'sftpPort', field2: 'publicPort' })
  if (node.sftp_port === node.private_port)
    throw new Refusal('ErrFieldEqual', { field1: 'sftpPort', field2: 'privatePort' })
}

function getChangedColumns(before: NodeRow, change: NodeChange) {
  const name = change.name ?? before.name
  return {
    name,
    name_key: name.toLowerCase(),
    public_host: change.publicHost ?? before.public_host,
    public_port: change.publicPort || before.public_port,
    private_host: getPrivateHost(before, change),
    private_port: change.privatePort || before.private_port,
    sftp_port: change.sftpPort || before.sftp_port,
  }
}

/** A node that is no longer behind NAT has its public host, unless there is another one. */
function getPrivateHost(before: NodeRow, { isBehindNat, privateHost, publicHost }: NodeChange): string {
  if (isBehindNat === true) return ''
  if (privateHost) return privateHost
  return isBehindNat === false ? before.private_host || publicHost || before.public_host : before.private_host
}
