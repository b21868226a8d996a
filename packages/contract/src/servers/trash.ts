import { z } from 'zod/mini'
import { nodeEndpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { ConflictPolicy, FilePath, fileDownload } from './files.ts'

/**
 * The trash of a server: files that were deleted or replaced. An entry has everything of one operation. Entries are
 * removed after a time, and the oldest when they are larger than the limit of the node.
 */

export const TrashEntryId = z.string().check(z.regex(/^[0-9a-f]{16}$/))

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
  bytes: z.optional(z.number()),
  reason: z.enum(trashReasons),
  /** Username at the time; missing when it was not a user. */
  author: z.optional(z.string()),
  /** ISO 8601. */
  discardedAt: z.string(),
  expiresAt: z.string(),
})
export type TrashEntry = z.infer<typeof TrashEntry>

const OnEntry = z.extend(OnServer, { entry: TrashEntryId })

/** The entries, newest first, and the limits of the node. */
export const getTrash = nodeEndpoint('GET', '/daemon/server/:id/trash', {
  access: { onServer: 'viewServerFiles' },
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
 * a new name, or with `replace` goes to the trash itself, or with `refuse` the call fails with ErrFileExists and nothing
 * is moved.
 */
export const restoreTrashEntry = nodeEndpoint('POST', '/daemon/server/:id/trash/:entry/restore', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.trash.restore',
  params: OnEntry,
  body: z.strictObject({ existing: z._default(ConflictPolicy, 'keepBoth') }),
  noTimeout: true,
})

/** Deletes an entry permanently. */
export const deleteTrashEntry = nodeEndpoint('DELETE', '/daemon/server/:id/trash/:entry', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.trash.delete',
  params: OnEntry,
  noTimeout: true,
})

/** Deletes all entries permanently. */
export const emptyTrash = nodeEndpoint('DELETE', '/daemon/server/:id/trash', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.trash.empty',
  noTimeout: true,
})

/** A former content of a file, which an entry of the trash has. */
export const FileVersion = z.object({
  entry: TrashEntryId,
  /** The path that the file had then, if it was renamed or moved since. */
  path: z.optional(z.string()),
  bytes: z.number(),
  /** ISO 8601: when this content was written. */
  savedAt: z.string(),
  /** The user who saved this content in the panel, if that was so. */
  savedBy: z.optional(z.string()),
  /** Why it is not the current content. */
  reason: z.enum(trashReasons),
  /** ISO 8601. */
  replacedAt: z.string(),
  /** The user who replaced or deleted it. */
  replacedBy: z.optional(z.string()),
})
export type FileVersion = z.infer<typeof FileVersion>

/** The former contents of a file that the trash has below the paths that the file had, newest first. */
export const getFileVersions = nodeEndpoint('GET', '/daemon/server/:id/versions/:path*', {
  access: { onServer: 'viewServerFiles' },
  params: z.extend(OnServer, { path: FilePath }),
  response: z.object({
    versions: z.array(FileVersion),
    /** The current file; missing when there is none. */
    current: z.optional(z.pick(FileVersion, { bytes: true, savedAt: true, savedBy: true })),
  }),
})

/** Downloads a file of an entry. The path is its former one. */
export const getTrashFile = nodeEndpoint('GET', '/daemon/server/:id/trash/:entry/file/:path*', {
  access: { onServer: 'viewServerFiles' },
  params: z.extend(OnEntry, { path: FilePath }),
  response: z.unknown(),
  ...fileDownload,
})
