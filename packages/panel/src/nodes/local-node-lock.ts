import { limits } from '@innkeeper/contract/limits'
import { localNodeId } from '@innkeeper/contract/nodes'
import type { JWK } from 'jose'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'

interface LocalNodeClaim {
  readonly db: Database
  /** What the node on this machine signs with. */
  readonly publicKey: JWK
  readonly now: () => number
}

/** A panel with a node of its own that is not the one of this database. */
export class LocalNodeLockedError extends Error {
  override readonly name = 'LocalNodeLockedError'
}

/**
 * Makes the node on this machine the local one of a database; what was signed with an earlier key is believed no longer.
 * There is one: its number is in every server that it has.
 * @throws LocalNodeLockedError while another one reports to this database.
 */
export async function lockLocalNode({ db, publicKey, now }: LocalNodeClaim): Promise<void> {
  const at = now()
  // One field after the other: a private key that got in here must not be stored.
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
  const seen = Math.max(before?.created_at ?? 0, report?.seen_at ?? 0)
  const isTaken = before?.jwk !== jwk && at - seen < limits.nodeSilentMs
  const { numUpdatedRows } = await db
    .updateTable('node_keys')
    .set({ jwk, created_at: at })
    .where('node_id', '=', localNodeId)
    // Of two that start at once, one.
    .where('jwk', '=', isTaken ? jwk : (before?.jwk ?? jwk))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  throw new LocalNodeLockedError(
    'Another Innkeeper with a node of its own uses this database. Several panels run with INNKEEPER_ROLE=panel, and this machine can join them as a node. If the other one is gone for good, start again in half a minute.',
  )
}
