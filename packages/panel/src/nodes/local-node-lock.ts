import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import type { JWK } from 'jose'
import { affectsRows, insertIfAbsent } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { nodeSilenceMs } from './node-repository.ts'

interface LocalNodeClaim {
  readonly db: Database
  /** The public signing key of the local node. */
  readonly publicKey: JWK
  readonly now: () => number
}

/** Another panel's local node uses this database. */
export class LocalNodeLockedError extends Error {
  override readonly name = 'LocalNodeLockedError'
}

/**
 * Registers the local node of a database; tokens of an earlier key become invalid. A database has one local node, whose
 * ID is in all of its servers.
 * @throws LocalNodeLockedError while another one reports to this database
 */
export async function lockLocalNode({ db, publicKey, now }: LocalNodeClaim): Promise<void> {
  const at = now()
  // Copies single fields, so that a private key is never stored.
  const { kty, crv, x } = publicKey
  const jwk = JSON.stringify({ kty, crv, x })
  const key = { node_id: localNodeId, jwk, created_at: at }
  if (await insertIfAbsent(db, 'node_keys', key)) return
  const before = await db.selectFrom('node_keys').selectAll().where('node_id', '=', localNodeId).executeTakeFirst()
  const report = await db
    .selectFrom('node_reports')
    .select('seen_at')
    .where('node_id', '=', localNodeId)
    .executeTakeFirst()
  // One that has just started has not reported yet.
  const lastSeenAt = Math.max(before?.created_at ?? 0, report?.seen_at ?? 0)
  const isTaken = before?.jwk !== jwk && at - lastSeenAt < nodeSilenceMs
  const update = db
    .updateTable('node_keys')
    .set({ jwk, created_at: at })
    .where('node_id', '=', localNodeId)
    // Of two that start at once, one.
    .where('jwk', '=', isTaken ? jwk : (before?.jwk ?? jwk))
  if (await affectsRows(update)) return
  throw new LocalNodeLockedError(
    'Another Innkeeper with a node of its own uses this database. Several panels run with INNKEEPER_ROLE=panel, and this machine can join them as a node. If the other one is gone for good, start again in half a minute.',
  )
}
