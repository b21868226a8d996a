import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Node } from '@innkeeper/contract/nodes/nodes'
import { cachedValue } from '../caching/cached-value.ts'
import { affectsRows } from '../database/rows.ts'
import type { Database, NodeRow, Transaction } from '../database/schema.ts'

/** After this silence another node may take over the identity of a node, and key rotation does not wait for it. */
export const nodeSilenceMs = 30_000
export const nodeCacheMs = 1_000

interface Deps {
  readonly db: Database
  readonly now: () => number
}

export type NodeRepository = ReturnType<typeof nodeRepository>

/** Nodes other than the local one, in the database. */
export function nodeRepository({ db, now }: Deps) {
  /** All nodes: every request for a server needs them. */
  const { get: all, forget } = cachedValue(
    async (): Promise<readonly NodeRow[]> => db.selectFrom('nodes').selectAll().orderBy('id').execute(),
    { maxAgeMs: nodeCacheMs, now },
  )

  return {
    all,
    forget,

    async find(nodeId: number): Promise<NodeRow | undefined> {
      return (await all()).find(({ id }) => id === nodeId)
    },

    /**
     * Locks the node until the end of the transaction, so that it is not deleted; ErrNodeInvalid when it does not
     * exist.
     */
    async lockForUpdate(transaction: Transaction, nodeId: number): Promise<void> {
      const update = transaction
        .updateTable('nodes')
        .set(({ ref }) => ({ created_at: ref('created_at') }))
        .where('id', '=', nodeId)
      if (!(await affectsRows(update))) throw new Refusal('ErrNodeInvalid')
    },
  }
}

/** Converts a row for the API. */
export const toNode = (row: NodeRow): Node => ({
  id: row.id,
  name: row.name,
  publicHost: row.public_host,
  publicPort: row.public_port,
  privateHost: row.private_host,
  privatePort: row.private_port,
  sftpPort: row.sftp_port,
  isLocal: false,
})

/** The editable fields of a node, from which its version is computed. */
export function getEditablePart({ name, publicHost, publicPort, privateHost, privatePort, sftpPort }: Node) {
  return [name, publicHost, publicPort, privateHost, privatePort, sftpPort]
}
