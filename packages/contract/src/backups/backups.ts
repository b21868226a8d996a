import { z } from 'zod/mini'
import { endpoint, etag, idempotencyKey, ifMatch, nodeEndpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'
import { FileEntry, FilePath, searchFiles } from '../servers/files.ts'
import { limits } from '../text/limits.ts'
import { BackupRetention, RetentionSource } from './backup-retention.ts'
import { BackupTargetId, RemoteTargetId } from './backup-targets.ts'

/** Backups of one server: its files, definition, variables and tasks, in the repository of its node. */

export const BackupId = z.string().check(z.regex(/^[0-9a-f]{16}$/))

const BackupName = z.string().check(z.trim(), z.maxLength(limits.backupNameMax))

/** Why a backup was created: by a user, by a task, or before a restore. */
export const backupOrigins = ['user', 'task', 'restore'] as const

/**
 * What the server did meanwhile. `stopped`, `paused`: the files did not change. `running`: files may have changed while
 * they were read.
 */
export const backupStates = ['stopped', 'paused', 'running'] as const

/** The last test of a backup: files were restored beside those of the server, and compared with the stored hashes. */
export const BackupVerification = z.object({
  /** ISO 8601. */
  at: z.string(),
  /** What was restored: everything of a small backup, else a random part. */
  files: z.number(),
  bytes: z.number(),
  /** Why it failed. */
  error: z.optional(ReportedError),
  /** Time until a copy of the server, started from the restored files without a network, was ready. */
  bootedInMs: z.optional(z.number()),
  /** Why the copy did not become ready. */
  bootError: z.optional(ReportedError),
  /** Why no copy was started. */
  notBooted: z.optional(z.string()),
})
export type BackupVerification = z.infer<typeof BackupVerification>

/** A backup on one target. */
export const BackupCopy = z.object({
  target: BackupTargetId,
  /** `waiting`: it was not copied yet. `failed`: that was tried. */
  state: z.enum(['stored', 'waiting', 'failed']),
  /** Why it failed. */
  error: z.optional(ReportedError),
  /** When a missing copy is tried again, ISO 8601. It is also tried with the next backup of the server. */
  nextTryAt: z.optional(z.string()),
  /** The last one of this copy. */
  verification: z.optional(BackupVerification),
})
export type BackupCopy = z.infer<typeof BackupCopy>

export const Backup = z.object({
  id: z.string(),
  /** The note of its author; may be empty. */
  name: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  origin: z.enum(backupOrigins),
  /** Username at the time. */
  author: z.optional(z.string()),
  server: z.enum(backupStates),
  files: z.number(),
  bytes: z.number(),
  /** What it added to the repository; unchanged content is stored once. */
  newBytes: z.number(),
  durationMs: z.number(),
  /** A locked backup cannot be deleted. */
  isLocked: z.boolean(),
  /** Files that could not be read, for example because the server deleted them meanwhile. */
  unreadFiles: z.optional(z.number()),
  /** The names of some of them, below the folder of the server. */
  unreadNames: z.optional(z.array(z.string())),
  /** The last one; missing when it was never verified. */
  verification: z.optional(BackupVerification),
  /** Where it is. Older nodes send none: it is in their folder. */
  copies: z.optional(z.array(BackupCopy)),
})
export type Backup = z.infer<typeof Backup>

/** Work on the backups of a server. A node does one job at a time. */
export const BackupJob = z.object({
  id: z.string(),
  type: z.enum(['create', 'restore', 'verify', 'copy']),
  state: z.enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
  /** The backup that is restored or verified, or was created. */
  backup: z.optional(z.string()),
  /** The name of that backup; for copies that of the target. */
  name: z.string(),
  /** Progress; missing while it is unknown. */
  bytes: z.optional(z.number()),
  totalBytes: z.optional(z.number()),
  /** Why it failed. */
  error: z.optional(ReportedError),
  /** ISO 8601. */
  startedAt: z.string(),
  endedAt: z.optional(z.string()),
})
export type BackupJob = z.infer<typeof BackupJob>

const OnBackup = z.extend(OnServer, { backup: BackupId })

/** Newest first. */
export const listBackups = nodeEndpoint('GET', '/daemon/server/:id/backup', {
  access: { onServer: 'viewServerBackups' },
  response: z.array(Backup),
})

/** Starts a backup and responds at once; poll `listBackupJobs` for its progress. With `verify` a verification follows. */
export const createBackup = nodeEndpoint('POST', '/daemon/server/:id/backup/create', {
  access: { onServer: 'createServerBackups' },
  audit: 'server.backup.create',
  body: z.strictObject({ name: z._default(BackupName, ''), verify: z._default(z.boolean(), false) }),
  headers: idempotencyKey,
  response: BackupJob,
  status: 202,
})

export const RestoreOptions = z.strictObject({
  /** Files and folders to restore. Without paths everything is restored: files that are not in the backup are deleted. */
  paths: z.optional(z.array(FilePath).check(z.minLength(1), z.maxLength(limits.pathsPerJob))),
  /** With paths: replaces existing files, or keeps them and restores under a new name. */
  existing: z._default(z.enum(['replace', 'keepBoth']), 'replace'),
  /** Without paths: also restores the definition with its variables and tasks. Only administrators. */
  definition: z._default(z.boolean(), false),
  /** Where it is read from; by default the first target that has it. */
  target: z.optional(BackupTargetId),
})
export type RestoreOptions = z.infer<typeof RestoreOptions>

/**
 * Starts a restore and responds at once. Everything is restored with the server stopped, after a backup of the current
 * state; a server that was running is started again.
 */
export const restoreBackup = nodeEndpoint('POST', '/daemon/server/:id/backup/restore/:backup', {
  access: { onServer: 'restoreServerBackups' },
  audit: 'server.backup.restore',
  params: OnBackup,
  body: RestoreOptions,
  response: BackupJob,
  status: 202,
})

/**
 * Starts a verification and responds at once: files of the backup are restored outside the folder of the server or beside
 * its files, compared with the stored hashes, and removed. If the definition has a ready pattern and the node allows it, a
 * copy of the server is started from all files before.
 */
export const verifyBackup = nodeEndpoint('POST', '/daemon/server/:id/backup/verify/:backup', {
  access: { onServer: 'createServerBackups' },
  audit: 'server.backup.verify',
  params: OnBackup,
  /** By default the first target that has it. */
  query: z.object({ target: z.optional(BackupTargetId) }),
  response: BackupJob,
  status: 202,
})

/** Starts to make the missing copies on a target now, and responds at once. ErrNotFound when none is missing there. */
export const copyBackups = nodeEndpoint('POST', '/daemon/server/:id/backup/copy/:target', {
  access: { onServer: 'createServerBackups' },
  audit: 'server.backup.copy',
  params: z.extend(OnServer, { target: RemoteTargetId }),
  response: BackupJob,
  status: 202,
})

/** Changes the name, or locks the backup so that it cannot be deleted. */
export const editBackup = nodeEndpoint('PUT', '/daemon/server/:id/backup/:backup', {
  access: { onServer: 'createServerBackups' },
  audit: 'server.backup.edit',
  params: OnBackup,
  body: z.strictObject({ name: z.optional(BackupName), isLocked: z.optional(z.boolean()) }),
  response: Backup,
})

/** ErrBackupLocked. The space is freed when the node has time. */
export const deleteBackup = nodeEndpoint('DELETE', '/daemon/server/:id/backup/:backup', {
  access: { onServer: 'createServerBackups' },
  audit: 'server.backup.delete',
  params: OnBackup,
})

/** Removes the last failure from the overviews of backups, and ends its alert. Has no effect if there is none. */
export const dismissBackupFailure = nodeEndpoint('DELETE', '/daemon/server/:id/backup/failure/last', {
  access: { onServer: 'createServerBackups' },
  audit: 'server.backup.dismiss',
})

/** Which backups are kept, see `backup-retention.ts`; `timezone` is that of the node. The version is in `ETag`. */
export const getBackupRetention = nodeEndpoint('GET', '/daemon/server/:id/backup/retention/rules', {
  access: { onServer: 'viewServerBackups' },
  response: z.object({
    retention: BackupRetention,
    timezone: z.string(),
    /** Missing on older nodes. */
    source: z.optional(RetentionSource),
  }),
  responseHeaders: etag,
})

/** Deletes the backups that are not kept, now and after each backup by a task. `null` sets the default of the node again. */
export const putBackupRetention = nodeEndpoint('PUT', '/daemon/server/:id/backup/retention/rules', {
  access: { onServer: 'createServerBackups' },
  audit: 'server.backup.retention',
  body: z.nullable(BackupRetention),
  headers: ifMatch,
})

/** The entries of a folder in a backup, like the listing of a folder of the server. */
export const listBackupFiles = nodeEndpoint('GET', '/daemon/server/:id/backup/files/:backup', {
  access: { onServer: 'viewServerBackups' },
  params: OnBackup,
  query: z.object({ path: z._default(FilePath, '') }),
  response: z.array(FileEntry),
  noTimeout: true,
})

/** Finds files and folders of a backup, like `searchFiles`. */
export const searchBackupFiles = nodeEndpoint('GET', '/daemon/server/:id/backup/search/:backup', {
  access: { onServer: 'viewServerBackups' },
  params: OnBackup,
  query: searchFiles.query,
  response: searchFiles.response,
  noTimeout: true,
})

/** How a folder of a backup is downloaded. */
export const backupArchives = ['zip', 'tar.zst'] as const
export type BackupArchive = (typeof backupArchives)[number]
const ArchiveFormat = z._default(z.enum(backupArchives), 'zip')

/** Downloads a file of a backup, or a folder as an archive. Recorded, because a copy of everything may leave the panel. */
export const downloadBackup = nodeEndpoint('GET', '/daemon/server/:id/backup/download/:backup', {
  access: { onServer: 'viewServerBackups' },
  audit: 'server.backup.download',
  params: OnBackup,
  query: z.object({ path: z._default(FilePath, ''), format: ArchiveFormat }),
  response: z.unknown(),
  stream: 'response',
  noTimeout: true,
})

/** Creates a link for `downloadBackup`, because a browser cannot send a bearer token with a download; see `createDownload`. */
export const createBackupDownload = endpoint('POST', '/api/servers/:id/backup/download/:backup', {
  access: { onServer: 'viewServerBackups' },
  audit: 'server.backup.download',
  params: OnBackup,
  body: z.strictObject({ path: z._default(FilePath, ''), format: ArchiveFormat }),
  response: z.object({ url: z.string() }),
})

/** Waiting, running and recently ended jobs, newest first. */
export const listBackupJobs = nodeEndpoint('GET', '/daemon/server/:id/backup/jobs', {
  access: { onServer: 'viewServerBackups' },
  response: z.array(BackupJob),
})

/** Cancels a job, with the permission to start it. Nothing is left of an unfinished backup or restore. */
export const cancelBackupJob = nodeEndpoint('DELETE', '/daemon/server/:id/backup/jobs/:job', {
  access: { onServer: 'viewServerBackups' },
  audit: 'server.backup.cancel',
  params: z.extend(OnServer, { job: z.string().check(z.maxLength(64)) }),
})
