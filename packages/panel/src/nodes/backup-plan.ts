import type { getBackupPlan, NodePlannedWork, PlannedWork } from '@innkeeper/contract/backup-plan'
import { maxPlannedWork } from '@innkeeper/contract/backup-plan'
import { BackupRetention, keepEverything } from '@innkeeper/contract/backup-retention'
import { limits } from '@innkeeper/contract/limits'
import { localNodeId } from '@innkeeper/contract/nodes'
import { panelOnlyEndpoints } from '@innkeeper/contract/panel-only'
import { safeParseJson } from '@innkeeper/contract/parse-json'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { z } from 'zod'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { lock, upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'
import { panelIdentity } from './client/node-client.ts'
import type { NodeRepository } from './node-repository.ts'
import type { LocalNode } from './node-views.ts'
import type { NodesService } from './nodes.ts'

const retentionKey = 'panel.backups.retention'
/** How long a panel may use an outdated retention: each node asks for it every few seconds. */
const retentionCacheMs = 1_000

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly repository: Pick<NodeRepository, 'all'>
  readonly localNode: LocalNode | undefined
  readonly log: Logger
  readonly now: () => number
}

type Plan = z.infer<typeof getBackupPlan.response>
interface NamedNode {
  readonly id: number
  readonly name: string
}

export type BackupPlanService = ReturnType<typeof backupPlanService>

/** The default retention of backups, and what the nodes do next for backups. */
export function backupPlanService({ db, nodes, repository, localNode, log, now }: Deps) {
  let cached: { readonly retention: BackupRetention; readonly at: number } | undefined

  async function workOf(node: NamedNode): Promise<NodePlannedWork[] | undefined> {
    const { method, path, response } = panelOnlyEndpoints.backupPlan
    try {
      const client = await nodes.clientFor(node.id)
      return response.parse(await client.request(panelIdentity, { method, path, timeoutMs: limits.nodeUsageMs }))
    } catch (error) {
      log.debug({ err: error, nodeId: node.id }, 'the next backups of a node could not be read')
      return undefined
    }
  }

  /** The names of the servers of a node: it knows only their IDs. */
  async function serverNames(node: number): Promise<ReadonlyMap<string, string>> {
    const rows = await db.selectFrom('servers').select(['id', 'name']).where('node_id', '=', node).execute()
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  return {
    /** The next work of all nodes, or of one. Throws ErrNotFound. */
    async plan(only: number | undefined): Promise<Plan> {
      const others = (await repository.all()).map(({ id, name }) => ({ id, name }))
      const all: NamedNode[] = localNode ? [{ id: localNodeId, name: localNode.name }, ...others] : others
      const asked = all.filter(({ id }) => only === undefined || id === only)
      if (only !== undefined && asked.length === 0) throw new Refusal('ErrNotFound')
      const answers = await Promise.all(asked.map(async (node) => ({ node, work: await workOf(node) })))
      const work = answers.map(async ({ node, work: planned = [] }) => {
        const names = await serverNames(node.id)
        return planned.flatMap(({ server: id, ...one }): PlannedWork[] => {
          if (id === undefined) return [{ ...one, node }]
          const name = names.get(id)
          return name === undefined ? [] : [{ ...one, node, server: { id, name } }]
        })
      })
      return {
        work: (await Promise.all(work))
          .flat()
          .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
          .slice(0, maxPlannedWork),
        missing: answers.flatMap(({ node, work: planned }) => (planned ? [] : [node.name])),
      }
    },

    /** Which backups are kept by default. */
    readRetention: () => readRetention(db),

    /** The same for nodes, which may be outdated for a moment. */
    async retention(): Promise<BackupRetention> {
      const at = now()
      if (cached && at >= cached.at && at - cached.at < retentionCacheMs) return cached.retention
      const retention = await readRetention(db)
      cached = { retention, at }
      return retention
    },

    /** Throws ErrStaleVersion when the stored one is not `expectedVersion`. */
    async setRetention(retention: BackupRetention, audit: AuditContext, expectedVersion?: string): Promise<void> {
      audit.setSubject({ target: retentionKey })
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'settings')
        requireCurrent(expectedVersion, await readRetention(transaction))
        await upsert(transaction, 'settings', ['key'], { key: retentionKey, value: JSON.stringify(retention) })
      })
      cached = undefined
    },
  }
}

async function readRetention(on: Database): Promise<BackupRetention> {
  const row = await on.selectFrom('settings').select('value').where('key', '=', retentionKey).executeTakeFirst()
  return (row && safeParseJson(BackupRetention, row.value).data) ?? keepEverything
}
