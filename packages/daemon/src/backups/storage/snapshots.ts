import { Refusal } from '@innkeeper/contract/errors/refusals'
import { z } from 'zod'
import { backupTimeoutMs, type Restic, type ResticOptions } from './restic.ts'
import type { ResticMessage } from './restic-process.ts'

/** The end of `restic backup`. */
const Summary = z.object({
  snapshot_id: z.string(),
  total_files_processed: z.number(),
  total_bytes_processed: z.number(),
  data_added: z.number(),
  /** After compression; newer versions. */
  data_added_packed: z.number().optional(),
})
export type Summary = z.infer<typeof Summary>

const Snapshot = z.object({
  id: z.string(),
  short_id: z.string(),
  time: z.string(),
  tags: z.array(z.string()).nullish(),
})
export type Snapshot = z.infer<typeof Snapshot>

/** A file or folder that could not be read. Newer versions have a text, older ones the fields of the error, if any. */
const FileError = z.object({
  /** During the scan they are reported, too. */
  during: z.literal('archival'),
  item: z.string(),
  error: z.object({ message: z.string().optional(), Err: z.unknown().optional() }),
})

const maxUnreadNames = 5
const maxUnreadNameLength = 200

const Progress = z.object({ bytes_done: z.number().default(0), total_bytes: z.number().default(0) })

/** What restic shows for a byte of a name that is not UTF-8. */
export const invalidByte = '\ufffd'

/** The tag of everything that belongs to a server. */
export const serverTag = (server: string) => `server:${server}`
export const backupTag = (backup: string) => `backup:${backup}`
/** The tag of the snapshot with the definition; that with the files has no tag of its own. */
export const definitionTag = 'part:definition'

export interface SnapshotRequest {
  readonly server: string
  readonly backup: string
}

/** Arguments of a backup. The server as the host makes restic compare with earlier snapshots of this server. */
export function backupArguments({ server, backup }: SnapshotRequest, more: readonly string[] = []): string[] {
  const tags = [serverTag(server), backupTag(backup), ...more].join(',')
  return ['backup', '--host', server, '--tag', tags]
}

/** Collects the outcome of `restic backup`. */
export class BackupOutput {
  /** Files and folders that could not be read. */
  unreadFiles = 0
  /** Those that had not vanished, as far as restic says why. */
  failedFiles = 0
  /** Some of them, those that had not vanished first. */
  get unreadNames(): string[] {
    return [...this.#failedNames, ...this.#otherNames].slice(0, maxUnreadNames)
  }
  readonly #failedNames: string[] = []
  readonly #otherNames: string[] = []
  #summary: Summary | undefined
  readonly #root: string
  readonly #onProgress: (bytes: number, totalBytes: number) => void

  /** Names are those below `root`, as restic sees it. */
  constructor(root = '', onProgress: (bytes: number, totalBytes: number) => void = () => {}) {
    this.#root = root
    this.#onProgress = onProgress
  }

  /** Missing when nothing was stored. */
  get summary(): Summary | undefined {
    return this.#summary
  }

  readonly read = (message: ResticMessage): void => {
    if (message.message_type === 'summary') this.#summary = Summary.parse(message)
    if (message.message_type !== 'status') return
    const { bytes_done, total_bytes } = Progress.parse(message)
    this.#onProgress(bytes_done, total_bytes)
  }

  readonly readError = (message: ResticMessage): void => {
    const { data } = FileError.safeParse(message)
    if (!data) return
    const isFailed = !hasVanished(data.error) && (data.error.message ?? data.error.Err) !== undefined
    this.unreadFiles++
    if (isFailed) this.failedFiles++
    const names = isFailed ? this.#failedNames : this.#otherNames
    const { item } = data
    const name = item.startsWith(`${this.#root}/`) ? item.slice(this.#root.length + 1) : item
    if (names.length < maxUnreadNames) names.push(name.slice(0, maxUnreadNameLength))
  }
}

/** ENOENT, as Go encodes it. */
const notFoundNumber = 2

function hasVanished({ message = '', Err }: z.infer<typeof FileError>['error']): boolean {
  return Err === notFoundNumber || message.endsWith('no such file or directory')
}

/** All snapshots of Innkeeper, or those with an ID. */
export async function listSnapshots(restic: Restic, ids: readonly string[], signal: AbortSignal): Promise<Snapshot[]> {
  const found = await restic.run(['snapshots', '--no-lock', ...ids], { signal })
  return found.map((message) => Snapshot.parse(message))
}

/**
 * Checks that a snapshot is of this server, whatever the index says. Throws ErrBackupNotFound when it is not, or is
 * missing.
 */
export async function requireSnapshot(
  restic: Restic,
  { server, snapshot }: { readonly server: string; readonly snapshot: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await listSnapshots(restic, [snapshot], signal)
  const isOwn = found.some(
    ({ id, short_id, tags }) => [id, short_id].includes(snapshot) && tags?.includes(serverTag(server)),
  )
  if (!isOwn) throw new Refusal('ErrBackupNotFound')
}

/** The space of snapshots in the repository; content that several of them have counts once. */
export async function measureSnapshots(
  restic: Restic,
  snapshots: readonly string[],
  { signal, priority }: Pick<ResticOptions, 'signal' | 'priority'>,
): Promise<number> {
  const [stats] = await restic.run(['stats', '--no-lock', '--mode', 'raw-data', ...snapshots], {
    signal,
    priority,
    timeoutMs: backupTimeoutMs,
  })
  return z.object({ total_size: z.number() }).parse(stats).total_size
}

/** Removes snapshots of a server; their data stays until the repository is pruned. */
export async function forgetSnapshots(
  restic: Restic,
  { server, snapshots }: { readonly server: string; readonly snapshots: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const found = await listSnapshots(restic, snapshots, signal)
  const own = found.filter(({ tags }) => tags?.includes(serverTag(server))).map(({ id }) => id)
  if (own.length > 0) await restic.run(['forget', ...own], { signal })
}
