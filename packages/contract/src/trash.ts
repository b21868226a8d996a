import { z } from 'zod'
import { nodeEndpoint } from './endpoint.ts'
import { ServerId } from './names.ts'

/**
 * The trash of a server: files that were deleted or replaced. An entry has everything of one operation. Entries are
 * removed after a time, and the oldest when they are larger than the limit of the node.
 */

export const TrashEntryId = z.string().regex(/^[0-9a-f]{16}$/)

/** `overwritten`: the former content of files. `extracted`: replaced by an archive. `reinstalled`: by the install steps. */
export const trashReasons = ['deleted', 'overwritten', 'extracted', 'reinstalled'] as const

export const TrashEntry = z.object({
  id: z.string(),
  /** The first path, and the number of paths. */
  path: z.string(),
  paths: z.number(),
  /** Whether the first path is a folder. */
  isFolder: z.boolean(),
  /** Missing until the files are counted. */
  bytes: z.number().optional(),
  reason: z.enum(trashReasons),
  /** Username at the time; missing when it was not a user. */
  author: z.string().optional(),
  /** ISO 8601. */
  discardedAt: z.string(),
  expiresAt: z.string(),
})
export type TrashEntry = z.infer<typeof TrashEntry>

const OnServer = z.object({ id: ServerId })
const OnEntry = OnServer.extend({ entry: TrashEntryId })

/** The entries, newest first, and the limits of the node. */
export const getTrash = nodeEndpoint({
  method: 'GET',
  path: '/daemon/server/:id/trash',
  access: { onServer: 'viewServerFiles' },
  params: OnServer,
  response: z.object({
    entries: z.array(TrashEntry),
    bytes: z.number(),
    /** The most that is kept. */
    maxBytes: z.number(),
    /** How long entries are kept; 0: nothing is. */
    days: z.number(),
  }),
})

/**
 * Moves everything of an entry back. Existing folders are merged. An existing file is kept and the one of the trash gets
 * a new name, or with `replace` goes to the trash itself.
 */
export const restoreTrashEntry = nodeEndpoint({
  method: 'POST',
  path: '/daemon/server/:id/trash/:entry/restore',
  access: { onServer: 'putServerFiles' },
  audit: 'server.trash.restore',
  params: OnEntry,
  body: z.strictObject({ existing: z.enum(['keepBoth', 'replace']).default('keepBoth') }),
  noTimeout: true,
})

/** Deletes an entry permanently. */
export const deleteTrashEntry = nodeEndpoint({
  method: 'DELETE',
  path: '/daemon/server/:id/trash/:entry',
  access: { onServer: 'putServerFiles' },
  audit: 'server.trash.delete',
  params: OnEntry,
  noTimeout: true,
})

/** Deletes all entries permanently. */
export const emptyTrash = nodeEndpoint({
  method: 'DELETE',
  path: '/daemon/server/:id/trash',
  access: { onServer: 'putServerFiles' },
  audit: 'server.trash.empty',
  params: OnServer,
  noTimeout: true,
})
