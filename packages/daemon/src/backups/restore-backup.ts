import type { RestoreOptions } from '@innkeeper/contract/backups/backups'
import { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import { settleAll } from '../concurrency/settle-all.ts'
import { withTimeout } from '../concurrency/timeout.ts'
import { withRollback } from '../errors/cleanup.ts'
import { errorText } from '../errors/error-text.ts'
import { ignoreRefusals } from '../errors/refusals.ts'
import { formatPath, parseExistingPath, parsePath, rootPath } from '../files/path/safe-path.ts'
import type { RootFs } from '../files/root.ts'
import { IncompleteReplacementError } from '../files/tree/replace-contents.ts'
import type { Staging } from '../files/tree/staging.ts'
import type { Server } from '../servers/server.ts'
import type { BackupTools } from './backup-access.ts'
import { filesAt, getSize, listFiles } from './backup-files.ts'
import { createBackup, definitionName, type NewBackup } from './create-backup.ts'
import type { JobContext } from './jobs/job-queue.ts'
import type { StoredBackup } from './storage/backup-index.ts'
import type { ServerMount } from './storage/confined-command.ts'
import { backupTimeoutMs, type Restic } from './storage/restic.ts'
import { invalidByte, requireSnapshot } from './storage/snapshots.ts'

/** Time until the server must have stopped. */
const stopTimeoutMs = 10 * 60 * 1000
/** With less free memory, a node runs one restic at a time. */
export const concurrentMemory = 512 * 1024 ** 2

export interface RestoreRequest {
  readonly backup: StoredBackup
  readonly options: RestoreOptions
  /** The user who restores: author of the safety backup, owner of changed tasks. */
  readonly author: string | undefined
  readonly userId: number | undefined
  /** The template may keep files from the user; a restore of all files includes them. */
  readonly permissions: TicketPermissions
}

export async function restoreBackup(tools: BackupTools, request: RestoreRequest, job: JobContext): Promise<void> {
  const { backup, options } = request
  await tools.restic.prepare(job.signal)
  const { snapshot } = backup
  if (snapshot !== undefined) await requireSnapshot(tools.restic, { server: tools.server.id, snapshot }, job.signal)
  if (options.paths) await restorePaths(tools, request, options, job)
  else await restoreAll(tools, request, job)
}

async function restorePaths(
  tools: BackupTools,
  { backup, permissions }: RestoreRequest,
  { paths = [], existing: onConflict }: RestoreOptions,
  job: JobContext,
): Promise<void> {
  await using files = await tools.server.openFiles(undefined, () => permissions)
  const restoredPaths = paths.map((path) => formatPath(parsePath(path)))
  const restored = await filesOfBackup(tools, backup, restoredPaths, job.signal)
  await assertSpace(files, getSize(restored))
  const replacedBytes = onConflict === 'replace' ? await sizeOfExisting(files, restored, job.signal) : 0
  await using staging = await files.stage(rootPath, Math.max(0, getSize(restored) - replacedBytes))
  await fillFromBackup(tools, staging, { backup, paths: restoredPaths }, job)
  const skipped: string[] = []
  const skip = (path: Parameters<typeof formatPath>[0]) => void skipped.push(formatPath(path))
  if ((await staging.names()).length === 0) throw new Refusal('ErrFileNotFound', { path: restoredPaths[0] ?? '' })
  await staging.countFilled(replacedBytes, job.signal)
  await staging.merge({ onConflict, skip, signal: job.signal })
  const [path] = skipped
  if (path !== undefined) throw new Refusal('ErrBackupFailed', { reason: formatReason('nameTaken', { path }) })
}

/** The files that a restore of these paths restores. */
async function filesOfBackup(
  { restic }: Pick<BackupTools, 'restic'>,
  { snapshot }: StoredBackup,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly size: number }[]> {
  if (snapshot === undefined) return []
  const all = await listFiles(restic, snapshot, signal)
  return paths.includes('/') ? all : filesAt(all, paths)
}

/** The size of the files that these would replace. */
async function sizeOfExisting(
  files: RootFs,
  restored: readonly { readonly path: string }[],
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0
  for (const { path } of restored) {
    signal.throwIfAborted()
    const existing = await files.lstat(parseExistingPath(path)).catch(ignoreRefusals())
    if (existing?.kind === 'file') bytes += existing.size
  }
  return bytes
}

/** The size of all files of a backup, which a rebuilt index does not know. */
async function sizeOfBackup(
  tools: Pick<BackupTools, 'restic'>,
  backup: StoredBackup,
  signal: AbortSignal,
): Promise<number> {
  return backup.bytes || getSize(await filesOfBackup(tools, backup, ['/'], signal))
}

/** Places the files of a backup in a new server, which cannot be started before the end. */
export async function fillServer(
  { server: source, restic }: BackupTools,
  { target, backup }: { readonly target: Server; readonly backup: StoredBackup },
  job: JobContext,
): Promise<void> {
  const release = target.holdStarts('restoring')
  try {
    await restic.prepare(job.signal)
    const { snapshot } = backup
    if (snapshot !== undefined) await requireSnapshot(restic, { server: source.id, snapshot }, job.signal)
    await using files = await target.openFiles()
    const bytes = await sizeOfBackup({ restic }, backup, job.signal)
    await assertSpace(files, bytes)
    await using staging = await files.stage(rootPath, bytes)
    await fillFromBackup({ server: target, restic }, staging, { backup, paths: [] }, job)
    await staging.countFilled(0, job.signal)
    await staging.merge({ onConflict: 'replace', skip: () => {}, signal: job.signal })
  } finally {
    release()
  }
}

/** Stops the server, stores its current state, exchanges the files, and starts it again if it was running. */
async function restoreAll(tools: BackupTools, request: RestoreRequest, job: JobContext): Promise<void> {
  const { server } = tools
  using _ = server.use.begin()
  const { backup, options, userId } = request
  const definition = options.definition ? await readDefinition(tools, backup, job.signal) : undefined
  const release = server.holdStarts('restoring')
  const startAgain = server.status.state !== 'offline'
  try {
    const bytes = await sizeOfBackup(tools, backup, job.signal)
    assertWithinLimit(server, bytes)
    await using opened = new AsyncDisposableStack()
    const files = opened.use(await server.openFiles())
    await assertSpace(files, bytes)
    await job.mark({ startAgain })
    if (startAgain) await stop(tools, job.signal)
    // For a while there are the former files and the restored ones. The server does not run.
    opened.use(await server.diskLimit.suspend())
    const staging = opened.use(await files.stage(rootPath))
    await storeAndFill(tools, staging, request, job)
    await job.mark({ replacing: staging.name, definition, userId })
    await replaceFiles(server, staging, job)
    if (definition)
      await withRollback(server.definition.replace(definition, userId), () => job.mark({ replacing: undefined }))
    await job.mark({ replacing: undefined })
    void server.diskLimit.refresh()
    // The replaced files are deleted after the job, so that the server can start earlier.
    job.closeLater(opened.move())
    server.console.say(`The backup of ${backup.createdAt} was restored`)
  } finally {
    release()
    if (startAgain) startServerAgain(server)
  }
}

/**
 * Stores the current files while the others are restored beside them, in the temporary directory, which no backup
 * contains. When one of the two fails, the other is aborted.
 */
async function storeAndFill(
  tools: BackupTools,
  staging: Staging,
  { backup, author }: RestoreRequest,
  job: JobContext,
): Promise<void> {
  const failure = new AbortController()
  const signal = AbortSignal.any([job.signal, failure.signal])
  const newBackup: NewBackup = { name: '', origin: 'restore', ...(author !== undefined && { author }) }
  // The progress is that of the restore.
  const store = async () =>
    void (await createBackup(tools, newBackup, [tools.local], { ...job, signal, onProgress: () => {} }))
  const fill = () => fillFromBackup(tools, staging, { backup, paths: [] }, { ...job, signal })
  const abortOther = (work: Promise<void>) => withRollback(work, (error) => failure.abort(error))
  if (tools.testBoots.freeMemory < concurrentMemory) {
    await store()
    await fill()
  } else await settleAll([store(), fill()].map(abortOther))
}

/** Throws ErrFilesIncomplete when it fails and the former files could not all be put back. */
async function replaceFiles(server: Server, staging: Staging, job: JobContext): Promise<void> {
  await staging.replace(job.signal).catch(async (cause: unknown) => {
    if (!(cause instanceof IncompleteReplacementError)) {
      await job.mark({ replacing: undefined })
      throw cause
    }
    throw refuseStarts(server, cause)
  })
  // Also after an earlier restore that left the files incomplete.
  server.refuseStarts(undefined)
}

/** Refuses starts of a server whose files are incomplete. Returns the reason. */
export function refuseStarts(server: Server, cause: unknown): Refusal {
  const refusal = new Refusal('ErrFilesIncomplete', {}, { cause })
  server.refuseStarts(refusal)
  server.console.say(`The restore could neither be completed nor undone: ${errorText(cause)}`)
  server.console.say(
    'Restore a backup to start the server again. The backup from before the restore has the former files',
  )
  return refusal
}

/** Starts a server that was stopped for a job. Its console says when that fails. */
export function startServerAgain(server: Server): void {
  const start = async () => await server.power('start').ended
  start().catch((error: unknown) => {
    server.console.say(`The server was not started again: ${errorText(error)}`)
  })
}

async function stop({ server }: BackupTools, signal: AbortSignal): Promise<void> {
  const seconds = stopTimeoutMs / 1_000
  const error = () => new Refusal('ErrPowerTooSlow', { action: 'stop', seconds })
  await withTimeout(server.power('stop').ended, { ms: stopTimeoutMs, signal, error })
}

/** A server that is running must not be stopped for a restore that cannot succeed. */
async function assertSpace(files: RootFs, bytes: number): Promise<void> {
  if ((await files.freeBytes()) < bytes) throw new Refusal('ErrDisk', { reason: formatReason('diskFull') })
}

/** Throws when a backup is larger than the disk space that the server may use. */
function assertWithinLimit({ diskLimit }: Server, bytes: number): void {
  const { limitBytes } = diskLimit
  if (limitBytes === undefined || bytes <= limitBytes) return
  const toMebibytes = (size: number) => Math.ceil(size / 1024 ** 2)
  const reason = `the backup has ${toMebibytes(bytes)} MiB, and the server may use ${toMebibytes(limitBytes)} MiB of disk space`
  throw new Refusal('ErrBackupFailed', { reason })
}

interface FillRequest {
  readonly backup: StoredBackup
  /** Without a path, everything is restored. */
  readonly paths: readonly string[]
  /** Whether restic reads the restored files again and compares them with their hashes. */
  readonly isVerified?: boolean
}

/** Restores into a staging directory, as the user of the server, which cannot write anywhere else. */
export async function fillFromBackup(
  { server, restic }: Pick<BackupTools, 'server' | 'restic'>,
  staging: Staging,
  request: FillRequest,
  job: JobContext,
): Promise<void> {
  await using tree = await staging.openTree()
  await restoreInto(restic, { directory: tree.sharedPath, owner: server.owner }, request, job)
}

/** Restores into a directory as its owner, which cannot write anywhere else. */
export async function restoreInto(
  restic: Restic,
  target: Omit<ServerMount, 'access'>,
  { backup, paths, isVerified = false }: FillRequest,
  job: JobContext,
): Promise<void> {
  if (backup.snapshot === undefined) return
  job.onProgress(0, paths.length === 0 ? backup.bytes : 0)
  const options = [
    ...paths.map((path) => `--include=${getInclude(path)}`),
    ...(isVerified ? ['--verify'] : []),
    // Holes of files stay holes.
    ...((await restic.isAtLeast(0, 15)) ? ['--sparse'] : []),
  ]
  await restic.run(['restore', '--no-lock', '--target', '.', ...options, '--', backup.snapshot], {
    mount: { ...target, access: 'write' },
    timeoutMs: backupTimeoutMs,
    onMessage: (message) => {
      // Newer versions report progress.
      const { bytes_restored: bytes, total_bytes: total } = message
      if (typeof bytes === 'number' && typeof total === 'number') job.onProgress(bytes, total)
    },
    signal: job.signal,
  })
}

/**
 * An include pattern that matches exactly this path. In names that are not UTF-8 restic shows U+FFFD for a byte, and its
 * patterns match such a byte as this character, but only in a class.
 */
function getInclude(path: string): string {
  return path.replace(/[\\*?[]/g, '\\$&').replaceAll(invalidByte, `[${invalidByte}]`)
}

/** The definition in a backup. Throws ErrBackupFailed when it has none. */
export async function readDefinition(
  { server, restic }: Pick<BackupTools, 'server' | 'restic'>,
  { definitionSnapshot }: StoredBackup,
  signal: AbortSignal,
): Promise<ServerDefinition> {
  if (definitionSnapshot === undefined) throw new Refusal('ErrBackupFailed', { reason: formatReason('noDefinition') })
  await requireSnapshot(restic, { server: server.id, snapshot: definitionSnapshot }, signal)
  const parts: Buffer[] = []
  const output = await restic.stream(['dump', '--no-lock', definitionSnapshot, `/${definitionName}`], signal)
  for await (const part of output) parts.push(part as Buffer)
  return ServerDefinition.parse(JSON.parse(Buffer.concat(parts).toString('utf8')))
}
