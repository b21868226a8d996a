import type { NodeRetention } from '@innkeeper/contract/backups/backup-plan'
import { BackupRetention, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { cachedValue } from '../caching/cached-value.ts'
import { lock, upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'
import type { NodeRepository } from './node-repository.ts'

const retentionKey = 'panel.backups.retention'
const lockName = 'retention'
/** How long a panel may use an outdated retention: each node asks for it every few seconds. */
const cacheMs = 1_000

interface Deps {
  readonly db: Database
  readonly repository: Pick<NodeRepository, 'find' | 'lockForUpdate'>
  readonly hasLocalNode: boolean
  readonly now: () => number
}

/** What a node applies to servers without a retention of their own. */
export interface DefaultRetention {
  readonly backupRetention: BackupRetention
  readonly backupRetentionSource: 'node' | 'panel'
}

export type BackupRetentionService = ReturnType<typeof backupRetentionService>

/** Which backups are kept by default: of the whole panel, and of nodes. */
export function backupRetentionService({ db, repository, hasLocalNode, now }: Deps) {
  const stored = cachedValue(
    async () => {
      const rows = await db.selectFrom('node_retention').selectAll().execute()
      const nodes = rows.map(
        ({ node_id, retention }) => [node_id, safeParseJson(BackupRetention, retention).data] as const,
      )
      return { panel: await readPanel(db), nodes: new Map(nodes) }
    },
    { maxAgeMs: cacheMs, now },
  )

  async function requireNode(nodeId: number): Promise<void> {
    const isKnown = nodeId === localNodeId ? hasLocalNode : (await repository.find(nodeId)) !== undefined
    if (!isKnown) throw new Refusal('ErrNotFound')
  }

  return {
    readPanel: () => readPanel(db),

    /** Throws ErrStaleVersion when the stored one is not `expectedVersion`. */
    async setPanel(retention: BackupRetention, audit: AuditContext, expectedVersion?: string): Promise<void> {
      audit.setSubject({ target: retentionKey })
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, lockName)
        requireCurrent(expectedVersion, await readPanel(transaction))
        await upsert(transaction, 'settings', ['key'], { key: retentionKey, value: JSON.stringify(retention) })
      })
      stored.forget()
    },

    /** Throws ErrNotFound. */
    async readNode(nodeId: number): Promise<NodeRetention> {
      await requireNode(nodeId)
      return await readNode(db, nodeId)
    },

    /** `null` applies the retention of the panel again. Throws ErrNotFound and ErrStaleVersion. */
    async setNode(
      nodeId: number,
      retention: BackupRetention | null,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      await requireNode(nodeId)
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, lockName)
        if (nodeId !== localNodeId) await repository.lockForUpdate(transaction, nodeId)
        requireCurrent(expectedVersion, await readNode(transaction, nodeId))
        if (retention) {
          const row = { node_id: nodeId, retention: JSON.stringify(retention) }
          await upsert(transaction, 'node_retention', ['node_id'], row)
        } else await transaction.deleteFrom('node_retention').where('node_id', '=', nodeId).execute()
      })
      stored.forget()
    },

    /** For a node that reports; may be outdated for a moment. */
    async forNode(nodeId: number): Promise<DefaultRetention> {
      const { panel, nodes } = await stored.get()
      const own = nodes.get(nodeId)
      return own
        ? { backupRetention: own, backupRetentionSource: 'node' }
        : { backupRetention: panel, backupRetentionSource: 'panel' }
    },
  }
}

async function readPanel(on: Database): Promise<BackupRetention> {
  const row = await on.selectFrom('settings').select('value').where('key', '=', retentionKey).executeTakeFirst()
  return (row && safeParseJson(BackupRetention, row.value).data) ?? keepEverything
}

async function readNode(on: Database, nodeId: number): Promise<NodeRetention> {
  const row = await on.selectFrom('node_retention').select('retention').where('node_id', '=', nodeId).executeTakeFirst()
  const own = row && safeParseJson(BackupRetention, row.retention).data
  if (own) return { retention: own, source: 'node' }
  const retention = await readPanel(on)
  const isSet = Object.values(retention).some((value) => value > 0)
  return { retention, source: isSet ? 'panel' : 'default' }
}
