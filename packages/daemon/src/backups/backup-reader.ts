import { Readable } from 'node:stream'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { BackupArchive } from '@innkeeper/contract/backups/backups'
import type { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import type { FileEntry, searchFiles } from '@innkeeper/contract/servers/files'
import { compressZstd } from '../archives/pack/compress.ts'
import { withRollback } from '../errors/cleanup.ts'
import { formatPath, getName, parsePath } from '../files/path/safe-path.ts'
import type { BackupAccess } from './backup-access.ts'
import { readBackupFiles, refuseDeniedInBackup, searchBackupFiles } from './backup-files.ts'
import type { JobQueue } from './jobs/job-queue.ts'
import { readDefinition } from './restore-backup.ts'
import type { Restic } from './storage/restic.ts'
import { invalidByte, requireSnapshot } from './storage/snapshots.ts'

interface DownloadRequest {
  readonly path: string
  readonly format: BackupArchive
  readonly permissions: TicketPermissions
}

/** How long a short read, or one of another node, waits for others. A download by a user waits until it is canceled. */
const maxWaitMs = 20_000

/** A tar without entries. */
const emptyTar = Buffer.alloc(1_024)

interface Deps {
  readonly access: Pick<BackupAccess, 'open'>
  readonly queue: Pick<JobQueue, 'beginRead'>
}

/** Reads files and definitions in backups. The repository is not pruned during a read. */
export class BackupReader {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The entries of a directory in a backup. */
  async files(server: string, id: string, path: string, signal: AbortSignal): Promise<FileEntry[]> {
    const { backup, restic } = await this.#deps.access.open(server, id)
    const { snapshot } = backup
    if (snapshot === undefined) return []
    const place = { server, snapshot, path: parsePath(path) }
    const found = await this.#whileReading(server, restic, signal, () => readBackupFiles(restic, place, signal))
    return [...found.entries]
  }

  /** The entries below a directory of a backup whose names contain a text. */
  async search(
    server: string,
    id: string,
    { path, text }: { readonly path: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<ResponseOf<typeof searchFiles>> {
    const { backup, restic } = await this.#deps.access.open(server, id)
    const { snapshot } = backup
    if (snapshot === undefined) return { found: [], isComplete: true }
    const place = { server, snapshot, path: parsePath(path), text }
    return await this.#whileReading(server, restic, signal, () => searchBackupFiles(restic, place, signal))
  }

  /** Reads a file, or a directory as an archive. The caller must read or destroy the stream. */
  async open(
    server: string,
    id: string,
    { path: text, format, permissions }: DownloadRequest,
    signal: AbortSignal,
  ): Promise<{ readonly name: string; readonly body: Readable }> {
    const { backup, restic, server: source } = await this.#deps.access.open(server, id)
    const { snapshot } = backup
    const path = parsePath(text)
    const denied = source.deniedFiles(permissions)
    denied?.assertAllowed(path)
    if (snapshot === undefined) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
    const end = await this.#deps.queue.beginRead(server, signal)
    const dump = async () => {
      await restic.prepareRead(signal)
      const { isFolder } = await readBackupFiles(restic, { server, snapshot, path }, signal)
      if (isFolder && denied) await refuseDeniedInBackup(restic, { server, snapshot, path, denied }, signal)
      // restic has no other way to name what it should read.
      if (formatPath(path).includes(invalidByte))
        throw new Refusal('ErrBackupFailed', { reason: formatReason('nameNotUtf8') })
      const packed = isFolder ? ['--archive', format === 'zip' ? 'zip' : 'tar'] : []
      const body = await restic.stream(['dump', '--no-lock', ...packed, '--', snapshot, formatPath(path)], signal)
      body.once('close', end)
      const name = getName(path) || server
      if (!isFolder) return { name, body }
      return { name: `${name}.${format}`, body: format === 'tar.zst' ? getZstd(body) : body }
    }
    return await withRollback(dump(), end)
  }

  /** All files of a backup as a tar. The caller must read or destroy the stream. */
  async export(server: string, id: string, signal: AbortSignal): Promise<Readable> {
    const { backup, restic } = await this.#deps.access.open(server, id)
    const { snapshot } = backup
    if (snapshot === undefined) return Readable.from([emptyTar])
    const end = await this.#deps.queue.beginRead(server, signal, maxWaitMs)
    const dump = async () => {
      await restic.prepareRead(signal)
      await requireSnapshot(restic, { server, snapshot }, signal)
      const body = await restic.stream(['dump', '--no-lock', '--archive', 'tar', '--', snapshot, '/'], signal)
      return body.once('close', end)
    }
    return await withRollback(dump(), end)
  }

  /** The definition in a backup. Throws ErrBackupFailed when it has none. */
  async definition(server: string, id: string, signal: AbortSignal): Promise<ServerDefinition> {
    const { backup, ...tools } = await this.#deps.access.open(server, id)
    return await this.#whileReading(server, tools.restic, signal, () => readDefinition(tools, backup, signal))
  }

  /** Does a short read of a repository, which is not pruned meanwhile. */
  async #whileReading<T>(server: string, restic: Restic, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    const end = await this.#deps.queue.beginRead(server, signal, maxWaitMs)
    try {
      await restic.prepareRead(signal)
      return await read()
    } finally {
      end()
    }
  }
}

/** The source is read, and is destroyed with the result. */
function getZstd(source: Readable): Readable {
  const packed = Readable.from(compressZstd(source), { objectMode: false })
  return packed.once('close', () => source.destroy())
}
