import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { BackupId } from '../backups/backups.ts'
import { VariableValues } from '../definitions/variables.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'
import { ServerName } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'

/** New servers from the files, definition and tasks of another one. */

/** What a clone is doing: `backup` stores the current files of the source, `copy` fills the new server. */
export const cloneStates = ['backup', 'copy', 'done', 'failed', 'cancelled'] as const

export const Clone = z.object({
  /** ID of the new server. It is deleted when the clone fails or is canceled. */
  id: ServerId,
  /** ID of the server that is cloned. */
  source: ServerId,
  state: z.enum(cloneStates),
  /** Progress; missing while it is unknown. */
  bytes: z.optional(z.number()),
  totalBytes: z.optional(z.number()),
  /** Why it failed. */
  error: z.optional(ReportedError),
})
export type Clone = z.infer<typeof Clone>

export const CloneRequest = z.strictObject({
  name: ServerName,
  /** The node of the new server. */
  node: z.int().check(z.minimum(0)),
  /** The backup to clone; without it a backup of the current state is made. */
  backup: z.optional(BackupId),
  /** New values of variables. Ports that are missing here and taken on the node are replaced by free ones. */
  data: z._default(VariableValues, {}),
  /** Whether users get the permissions that they have on the source. */
  users: z._default(z.boolean(), false),
})
export type CloneRequest = z.infer<typeof CloneRequest>

/**
 * Creates a server with the files, definition, limits and tasks of another one, or of one of its backups, on any node, and
 * responds at once; poll `getClone`. Requires `viewServerBackups`, `viewServerFiles` and `editServerData` on the source,
 * without a backup also `createServerBackups`, and with `users` also `editServerUsers`.
 */
export const cloneServer = endpoint('POST', '/api/servers/:id/clone', {
  access: { scope: 'servers.create' },
  audit: 'server.clone',
  params: OnServer,
  body: CloneRequest,
  response: Clone,
  status: 202,
  errorStatuses: [404, 502],
})

/** A clone of the last day, by the ID of the new server. Only its creator and administrators see it. */
export const getClone = endpoint('GET', '/api/clones/:id', {
  access: { scope: 'servers.create' },
  params: OnServer,
  response: Clone,
})

/** A clone that failed. Its server was deleted. */
export const FailedClone = z.object({
  /** ID of the server that was deleted. */
  id: ServerId,
  /** The name is missing when that server was deleted. */
  source: z.object({ id: ServerId, name: z.optional(z.string()) }),
  /** Repeats it; of the values of variables only those of ports. */
  request: CloneRequest,
  error: ReportedError,
})
export type FailedClone = z.infer<typeof FailedClone>

/** The user's clones that failed in the last 30 days, until they are dismissed, or another clone of the source is started. */
export const listFailedClones = endpoint('GET', '/api/clones', {
  access: { scope: 'servers.create' },
  response: z.array(FailedClone),
})

/** Removes a failed clone from the list. */
export const dismissFailedClone = endpoint('DELETE', '/api/clones/:id/failure', {
  access: { scope: 'servers.create' },
  audit: false,
  params: OnServer,
})

/** Cancels a clone. The new server is deleted. */
export const cancelClone = endpoint('DELETE', '/api/clones/:id', {
  access: { scope: 'servers.create' },
  audit: 'server.clone.cancel',
  params: OnServer,
})
