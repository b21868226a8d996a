import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { UnregisteredServer } from '@innkeeper/contract/nodes/unregistered-servers'
import { stopServer } from '@innkeeper/contract/servers/node-servers'
import { limits } from '@innkeeper/contract/text/limits'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { isUniqueViolation } from '../database/errors.ts'
import type { Database } from '../database/schema.ts'
import { nameColumns } from '../database/server-name.ts'
import type { NodesService } from '../nodes/nodes.ts'

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor' | 'lockForUpdate'>
  readonly now: () => number
}

export type UnregisteredServersService = ReturnType<typeof unregisteredServers>

/** Servers that a node has and the panel has not. */
export function unregisteredServers({ db, nodes, now }: Deps) {
  /** Servers with these IDs that the panel has, or is about to delete on their node. */
  async function knownIds(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set()
    const servers = await db.selectFrom('servers').select('id').where('id', 'in', ids).execute()
    const unfinished = await db
      .selectFrom('unfinished_servers')
      .select('server_id as id')
      .where('server_id', 'in', ids)
      .execute()
    return new Set([...servers, ...unfinished].map(({ id }) => id))
  }

  async function requireUnregistered(id: string): Promise<void> {
    if ((await knownIds([id])).has(id)) throw new Refusal('ErrServerAlreadyExists')
  }

  return {
    async list(nodeId: number): Promise<UnregisteredServer[]> {
      const client = await nodes.clientFor(nodeId)
      const options = { timeoutMs: limits.nodeUsageMs }
      const servers = await client.call(panelEndpoints.listServers, {}, options).catch((error: unknown) => {
        // An older node does not have this endpoint.
        if (error instanceof Refusal && error.status === 404) return []
        throw error
      })
      const known = await knownIds(servers.map(({ id }) => id))
      return servers.filter(({ id }) => !known.has(id))
    },

    async register(nodeId: number, id: string, audit: AuditContext): Promise<void> {
      audit.setSubject({ server: id })
      await requireUnregistered(id)
      const client = await nodes.clientFor(nodeId)
      const { data, type } = await client.call(getDefinition, { params: { id } })
      const address = tryParseListenAddress(data)
      const row = { id, ...nameColumns(id), node_id: nodeId, ...address, type, created_at: now(), template: null }
      await auditedTransaction(audit, db, async (transaction) => {
        await nodes.lockForUpdate(transaction, nodeId)
        await transaction.insertInto('servers').values(row).execute()
      }).catch((error: unknown) => {
        throw isUniqueViolation(error) ? new Refusal('ErrServerAlreadyExists', {}, { cause: error }) : error
      })
    },

    async stop(nodeId: number, id: string, audit: AuditContext): Promise<void> {
      audit.setSubject({ server: id })
      await requireUnregistered(id)
      const client = await nodes.clientFor(nodeId)
      const timeoutMs = limits.powerWaitMs + limits.nodeCallMs
      await client.call(stopServer, { params: { id }, query: { wait: 'true' } }, { timeoutMs })
    },
  }
}
