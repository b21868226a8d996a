import { Refusal } from '@innkeeper/contract/errors/refusals'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import { defaultPlacement, PlacementSettings } from '@innkeeper/contract/nodes/placement'
import { z } from 'zod'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { cachedValue } from '../caching/cached-value.ts'
import { lock, upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'
import { type NodeRepository, nodeCacheMs } from './node-repository.ts'

interface Deps {
  readonly db: Database
  readonly repository: Pick<NodeRepository, 'find'>
  readonly now: () => number
}

export type PlacementSettingsService = ReturnType<typeof placementSettingsService>

/** Labels and overcommit factors of nodes. */
export function placementSettingsService({ db, repository, now }: Deps) {
  const { get: all, forget } = cachedValue(
    async () => {
      const rows = await db.selectFrom('node_placement').selectAll().execute()
      return new Map(rows.map(({ node_id, settings }) => [node_id, parse(settings)]))
    },
    { maxAgeMs: nodeCacheMs, now },
  )

  return {
    /** By node. */
    async read(): Promise<(nodeId: number) => PlacementSettings> {
      const settings = await all()
      return (nodeId) => settings.get(nodeId) ?? defaultPlacement
    },

    async get(nodeId: number): Promise<PlacementSettings> {
      await requireNode(repository, nodeId)
      return await find(db, nodeId)
    },

    async put(
      nodeId: number,
      settings: PlacementSettings,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      await requireNode(repository, nodeId)
      const unique = { ...settings, labels: [...new Set(settings.labels)].sort() }
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'node placement')
        requireCurrent(expectedVersion, await find(transaction, nodeId))
        const row = { node_id: nodeId, settings: JSON.stringify(unique) }
        await upsert(transaction, 'node_placement', ['node_id'], row)
      })
      forget()
    },
  }
}

async function find(db: Database, nodeId: number): Promise<PlacementSettings> {
  const row = await db.selectFrom('node_placement').select('settings').where('node_id', '=', nodeId).executeTakeFirst()
  return row ? parse(row.settings) : defaultPlacement
}

const parse = (settings: string): PlacementSettings => StoredSettings.parse(JSON.parse(settings))

const StoredSettings = z.object(PlacementSettings.shape)

async function requireNode(repository: Deps['repository'], nodeId: number): Promise<void> {
  if (nodeId !== localNodeId && !(await repository.find(nodeId))) throw new Refusal('ErrNotFound')
}
