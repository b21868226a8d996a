import type { getBackupPlan, PlannedJob } from '@innkeeper/contract/backups/backup-plan'
import { maxPlannedJobs } from '@innkeeper/contract/backups/backup-plan'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { z } from 'zod'
import type { Database } from '../database/schema.ts'
import { type NamedNodesDeps, namedNodes, serverNames } from './named-nodes.ts'
import type { NodesService } from './nodes.ts'

interface Deps extends NamedNodesDeps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'tryRead'>
}

type Plan = z.infer<typeof getBackupPlan.response>

export type BackupPlanService = ReturnType<typeof backupPlanService>

/** What the nodes do next for backups. */
export function backupPlanService({ db, nodes, ...named }: Deps) {
  return {
    /** The next jobs of all nodes, or of one. Throws ErrNotFound. */
    async plan(only: number | undefined): Promise<Plan> {
      const queried = await namedNodes(named, only)
      const answers = await Promise.all(
        queried.map(async (node) => ({ node, jobs: await nodes.tryRead(node.id, panelEndpoints.getBackupPlan, {}) })),
      )
      const jobs = answers.map(async ({ node, jobs: planned = [] }) => {
        const names = await serverNames(db, node.id)
        return planned.flatMap(({ server: id, ...job }): PlannedJob[] => {
          if (id === undefined) return [{ ...job, node }]
          const name = names.get(id)
          return name === undefined ? [] : [{ ...job, node, server: { id, name } }]
        })
      })
      return {
        work: (await Promise.all(jobs))
          .flat()
          .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
          .slice(0, maxPlannedJobs),
        missing: answers.flatMap(({ node, jobs }) => (jobs ? [] : [node.name])),
      }
    },
  }
}
