import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** The backups of a server in the repository of its node. */
export const BackupUsage = z.object({
  /** ID of the server. */
  server: z.string(),
  backups: z.number(),
  /** Space in the repository, where content that several backups of a server have is stored once. Missing until measured. */
  bytes: z.number().optional(),
})
export type BackupUsage = z.infer<typeof BackupUsage>

/** The space of backups by server, without servers that have none. ErrServiceNotAvailable when the node does not respond. */
export const getNodeBackups = endpoint({
  method: 'GET',
  path: '/api/nodes/:id/backups',
  access: { scope: 'nodes.view' },
  params: z.object({ id: z.coerce.number().int().min(0) }),
  response: z.array(BackupUsage),
  errorStatuses: [502],
})
