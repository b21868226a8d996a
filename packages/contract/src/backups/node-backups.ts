import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'

/** Servers with the largest backups, and failures, in a response. */
export const maxLargestBackups = 10
export const maxBackupFailures = 50

/** What failed last. `copy`: the backup itself was made, but is missing on a target. */
export const BackupFailure = z.object({
  type: z.enum(['create', 'verify', 'copy']),
  /** ISO 8601. */
  at: z.string(),
  error: ReportedError,
  /** The backup whose verification failed. */
  backup: z.optional(z.string()),
})
export type BackupFailure = z.infer<typeof BackupFailure>

/** The backups of a server in the repository of its node. */
export const BackupUsage = z.object({
  /** ID of the server. */
  server: z.string(),
  backups: z.number(),
  /** Space in the repository, where content that several backups of a server have is stored once. Missing until measured. */
  bytes: z.optional(z.number()),
  /** Missing when a backup has succeeded since, the cause was removed, or a user dismissed it. */
  failure: z.optional(BackupFailure),
})
export type BackupUsage = z.infer<typeof BackupUsage>

/** The space of backups by server, without servers that have neither backups nor a failure. ErrServiceNotAvailable when the node does not respond. */
export const getNodeBackups = endpoint('GET', '/api/nodes/:id/backups', {
  access: { scope: 'nodes.view' },
  params: z.object({ id: z.coerce.number().check(z.int(), z.minimum(0)) }),
  response: z.array(BackupUsage),
  errorStatuses: [502],
})

const Named = {
  node: z.object({ id: z.number(), name: z.string() }),
  server: z.object({ id: z.string(), name: z.string() }),
}

export const BackupOverview = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      /** Missing when the node does not respond. `unmeasured`: servers whose space is not in `bytes` yet. */
      usage: z.optional(z.object({ backups: z.number(), bytes: z.number(), unmeasured: z.number() })),
    }),
  ),
  /** Servers, largest backups first. */
  largest: z.array(z.object({ ...Named, backups: z.number(), bytes: z.number() })),
  /** Latest first. */
  failures: z.array(z.extend(BackupFailure, Named)),
})
export type BackupOverview = z.infer<typeof BackupOverview>

/** Space and failures of the backups of one node, or of all. */
export const getBackupOverview = endpoint('GET', '/api/backups/overview', {
  access: { scope: 'nodes.view' },
  query: z.object({ node: z.optional(z.coerce.number().check(z.int(), z.minimum(0))) }),
  response: BackupOverview,
  errorStatuses: [404],
})
