import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'
import { BackupRetention } from './backup-retention.ts'

/** What a node does next for backups: a task with a backup, the weekly proof, or freeing the space of deleted backups. */
export const plannedJobTypes = ['backup', 'proof', 'prune'] as const

/** Next runs in a response, soonest first. */
export const maxPlannedJobs = 200

const PlannedJobBase = z.object({
  type: z.enum(plannedJobTypes),
  /** ISO 8601. */
  at: z.string(),
  /** The task, or the target that is pruned. */
  name: z.optional(z.string()),
})

/** What a node plans: `server` is an ID, missing for pruning. */
export const NodePlannedJob = z.extend(PlannedJobBase, { server: z.optional(z.string()) })
export type NodePlannedJob = z.infer<typeof NodePlannedJob>

export const PlannedJob = z.extend(PlannedJobBase, {
  node: z.object({ id: z.number(), name: z.string() }),
  server: z.optional(z.object({ id: z.string(), name: z.string() })),
})
export type PlannedJob = z.infer<typeof PlannedJob>

/** The next backup jobs of one node, or of all; nodes that do not respond are listed. */
export const getBackupPlan = endpoint('GET', '/api/backups/plan', {
  access: { scope: 'nodes.view' },
  query: z.object({ node: z.optional(z.coerce.number().check(z.int(), z.minimum(0))) }),
  response: z.object({
    work: z.array(PlannedJob),
    /** Names of nodes that do not respond. */
    missing: z.array(z.string()),
  }),
  errorStatuses: [404],
})

/** Which backups are kept of servers that have no retention of their own, on nodes without one. The version is in `ETag`. */
export const getPanelRetention = endpoint('GET', '/api/backups/retention', {
  access: { scope: 'panel.settings' },
  response: BackupRetention,
})

/** Nodes apply it after the next backup by a task. Without any number everything is kept. */
export const putPanelRetention = endpoint('PUT', '/api/backups/retention', {
  access: { scope: 'panel.settings' },
  audit: 'settings.edit',
  body: BackupRetention,
  headers: ifMatch,
})

/** Where the default retention of a node comes from; `default`: the configuration of the node, or everything is kept. */
export const NodeRetention = z.object({
  retention: BackupRetention,
  source: z.enum(['node', 'panel', 'default']),
})
export type NodeRetention = z.infer<typeof NodeRetention>

/** Which backups are kept of servers on a node that have no retention of their own. The version is in `ETag`. */
export const getNodeRetention = endpoint('GET', '/api/nodes/:id/backups/retention', {
  access: { scope: 'nodes.view' },
  params: OnNode,
  response: NodeRetention,
})

/** The node applies it after the next backup by a task. `null` restores the default of the panel. */
export const putNodeRetention = endpoint('PUT', '/api/nodes/:id/backups/retention', {
  access: { scope: 'nodes.edit' },
  audit: 'node.edit',
  params: OnNode,
  body: z.nullable(BackupRetention),
  headers: ifMatch,
})
