import { randomBytes } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type BackupRetention, expiredBackups, keepEverything } from '@innkeeper/contract/backup-retention'
import type { Backup, BackupJob, RestoreOptions } from '@innkeeper/contract/backups'
import type { FileEntry } from '@innkeeper/contract/files'
import { ServerId } from '@innkeeper/contract/names'
import type { BackupUsage } from '@innkeeper/contract/node-backups'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { withRollback } from '../errors/cleanup.ts'
import { formatPath, nameOf, parsePath } from '../files/path/safe-path.ts'
import type { Confinement } from '../isolation/isolation.ts'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Registry } from '../servers/registry.ts'
import { readBackupFiles } from './backup-files.ts'
import { BackupIndex, type StoredBackup, snapshotsOf } from './backup-index.ts'
import { type BackupTools, createBackup, type NewBackup } from './create-backup.ts'
import { type JobMarker, JobMarkers } from './job-markers.ts'
import { type EndedJob, JobQueue } from './job-queue.ts'
import { recoverJob } from './recover-job.ts'
import { backupTimeoutMs, Restic } from './restic.ts'
import { type RestoreRequest, restoreBackup } from './restore-backup.ts'
import {
  backupTag,
  definitionTag,
  forgetSnapshots,
  listSnapshots,
  measureSnapshots,
  type Snapshot,
  serverTag,
} from './snapshots.ts'
import { verifyBackup } from './verify-backup.ts'

interface Deps {
  readonly dataDir: string
  readonly servers: Registry
  readonly patterns: PatternMatcher
  readonly confinement: Confinement
  /** Receives the ends of jobs. */
  readonly events?: Pick<NodeEvents, 'add'>
  /** Name or path of restic; looked up in `path`. */
  readonly program?: string | undefined
  readonly path: string
  /** For servers without an own one; by default everything is kept. */
  readonly retention?: BackupRetention | undefined
  readonly log: Logger
}

interface StartedJob {
  readonly job: BackupJob
  readonly ended: Promise<void>
}

/** Nice value of work that nobody waits for. */
const idlePriority = 19

/** The backups of all servers of this node, in one repository. */
export class Backups {
  readonly #deps: Deps
  readonly #restic: Restic
  readonly #queue: JobQueue
  readonly #markers: JobMarkers
  readonly #indexDir: string
  readonly #indexes = new Map<string, BackupIndex>()
  /** Whether the repository was searched for backups that the index does not have. */
  #isReconciled = false

  private constructor(deps: Deps) {
    const dir = join(deps.dataDir, 'backups')
    const { log, confinement, path, program = 'restic' } = deps
    this.#deps = deps
    this.#indexDir = join(dir, 'servers')
    this.#restic = new Restic({ dir, program, path, confinement, log, makeKey: () => randomBytes(32).toString('hex') })
    this.#markers = new JobMarkers(join(dir, 'jobs'), log)
    this.#queue = new JobQueue({
      markers: this.#markers,
      maintain: (signal) => this.#maintain(signal),
      onEnd: (end) => this.#report(end),
      log,
    })
  }

  /** Undoes what jobs of an earlier daemon left. */
  static async open(deps: Deps): Promise<Backups> {
    await mkdir(join(deps.dataDir, 'backups'), { recursive: true, mode: 0o700 })
    const backups = new Backups(deps)
    for (const marker of await backups.#markers.all()) await backups.#recover(marker)
    if (await backups.#restic.isInitialized()) backups.#queue.requestMaintenance()
    return backups
  }

  /** Newest first. */
  async list(server: string): Promise<Backup[]> {
    this.#deps.servers.get(server)
    return (await this.#indexOf(server).backups()).toReversed().map(toBackup)
  }

  /**
   * An aborted signal cancels the job. `ended` includes what follows: with `verify` a verification, then for a task the
   * deletion of expired backups.
   */
  create(
    server: string,
    wanted: NewBackup,
    { signal, verify = false }: { readonly signal?: AbortSignal; readonly verify?: boolean } = {},
  ): StartedJob {
    const tools = this.#toolsFor(server)
    const { job, ended } = this.#queue.start({
      ...{ server, type: 'create', name: wanted.name, signal },
      run: async (job) => {
        const { id } = await createBackup(tools, wanted, job)
        job.setBackup(id)
        this.#queue.requestMaintenance()
      },
    })
    const followed = ended.then(async () => {
      const { backup = '' } = this.job(server, job.id)
      if (verify) await (await this.verify(server, backup, signal)).ended
      // Last: good backups must not be deleted for a damaged one.
      if (wanted.origin === 'task') await this.#applyRetention(server)
    })
    // The failure is in the list of jobs.
    followed.catch(() => {})
    return { job, ended: followed }
  }

  async verify(server: string, id: string, signal?: AbortSignal): Promise<StartedJob> {
    const tools = this.#toolsFor(server)
    const backup = await this.#find(server, id)
    return this.#queue.start({
      ...{ server, type: 'verify', name: backup.name, backup: id, signal },
      run: (job) => verifyBackup(tools, backup, job),
    })
  }

  async restore(
    server: string,
    id: string,
    request: { readonly options: RestoreOptions } & Pick<RestoreRequest, 'author' | 'userId'>,
  ): Promise<StartedJob> {
    const tools = this.#toolsFor(server)
    const backup = await this.#find(server, id)
    return this.#queue.start({
      ...{ server, type: 'restore', name: backup.name, backup: id },
      run: async (job) => {
        await restoreBackup(tools, { ...request, backup }, job)
        if (!request.options.paths) await this.#markers.removeIncomplete(server)
      },
    })
  }

  /** Changes the given fields. */
  async edit(
    server: string,
    id: string,
    changes: { readonly name?: string | undefined; readonly isLocked?: boolean | undefined },
  ): Promise<Backup> {
    await this.#find(server, id)
    const { name, isLocked } = changes
    await this.#indexOf(server).update(id, (backup) => ({
      ...backup,
      ...(name !== undefined && { name }),
      ...(isLocked !== undefined && { isLocked }),
    }))
    return toBackup(await this.#find(server, id))
  }

  /** Throws ErrBackupLocked. The repository forgets it when it has time. */
  async remove(server: string, id: string): Promise<void> {
    const backup = await this.#find(server, id)
    if (backup.isLocked) throw new Refusal('ErrBackupLocked')
    await this.#indexOf(server).remove(id)
    this.#queue.requestMaintenance()
  }

  async retention(server: string): Promise<{ readonly retention: BackupRetention; readonly timezone: string }> {
    this.#deps.servers.get(server)
    const retention = (await this.#indexOf(server).retention()) ?? this.#deps.retention ?? keepEverything
    return { retention, timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone }
  }

  /** Removes the backups that it does not keep. */
  async setRetention(server: string, retention: BackupRetention): Promise<void> {
    this.#deps.servers.get(server)
    await this.#indexOf(server).setRetention(retention)
    await this.#applyRetention(server)
    // For the limit of the space.
    this.#queue.requestMaintenance()
  }

  /** The space of the backups of each server that has some. */
  async usage(): Promise<BackupUsage[]> {
    const usages = this.#deps.servers.servers.map(async ({ id: server }) => {
      const index = this.#indexOf(server)
      const [{ length: backups }, bytes] = [await index.backups(), await index.storedBytes()]
      return backups === 0 ? [] : [{ server, backups, ...(bytes !== undefined && { bytes }) }]
    })
    return (await Promise.all(usages)).flat()
  }

  jobs(server: string): BackupJob[] {
    this.#deps.servers.get(server)
    return this.#queue.list(server)
  }

  /** Throws ErrNotFound. */
  job(server: string, id: string): BackupJob {
    const job = this.#queue.find(server, id)
    if (!job) throw new Refusal('ErrNotFound')
    return job
  }

  cancel(server: string, id: string): void {
    this.#queue.cancel(server, id)
  }

  /** The entries of a directory in a backup. */
  async files(server: string, id: string, path: string, signal: AbortSignal): Promise<FileEntry[]> {
    const { snapshot } = await this.#find(server, id)
    if (snapshot === undefined) return []
    const place = { server, snapshot, path: parsePath(path) }
    const end = await this.#queue.beginRead(signal)
    const found = await readBackupFiles(this.#restic, place, signal).finally(end)
    return [...found.entries]
  }

  /** Reads a file, or a directory as a zip. The caller must read or destroy the stream. */
  async open(
    server: string,
    id: string,
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly name: string; readonly body: Readable }> {
    const { snapshot } = await this.#find(server, id)
    const path = parsePath(text)
    if (snapshot === undefined) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
    const end = await this.#queue.beginRead(signal)
    const dump = async () => {
      const { isFolder } = await readBackupFiles(this.#restic, { server, snapshot, path }, signal)
      const format = isFolder ? ['--archive', 'zip'] : []
      const body = await this.#restic.stream(['dump', '--no-lock', ...format, '--', snapshot, formatPath(path)], signal)
      body.once('close', end)
      const name = nameOf(path) || server
      return { name: isFolder ? `${name}.zip` : name, body }
    }
    return await withRollback(dump(), end)
  }

  /** Tells the panel whether a backup was made. A user who restores one sees the result. */
  #report({ server, type, name, refusal }: EndedJob): void {
    if (type === 'restore' || refusal?.code === 'ErrCancelled') return
    const detail = refusal && (name === '' ? refusal.message : `${name}: ${refusal.message}`)
    if (detail !== undefined) this.#deps.events?.add({ type: 'backupFailed', server, detail })
    else if (type === 'create') this.#deps.events?.add({ type: 'backupDone', server })
  }

  /** Ends the jobs of a server that is about to be removed. */
  async end(server: string): Promise<void> {
    await this.#queue.cancelAll(server)
  }

  /** Removes all backups of a server that was removed, also locked ones. */
  async removeAll(server: string): Promise<void> {
    const index = this.#indexOf(server)
    await index.remove(...(await index.backups()).map(({ id }) => id))
    this.#queue.requestMaintenance()
  }

  /** Resolves when no job runs or waits. */
  async idle(): Promise<void> {
    await this.#queue.idle()
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  #toolsFor(id: string): BackupTools {
    const { servers, patterns, confinement } = this.#deps
    return { server: servers.get(id), restic: this.#restic, index: this.#indexOf(id), patterns, confinement }
  }

  #indexOf(server: string): BackupIndex {
    const index = this.#indexes.get(server) ?? new BackupIndex(this.#indexDir, server, this.#deps.log)
    this.#indexes.set(server, index)
    return index
  }

  async #applyRetention(server: string): Promise<void> {
    const index = this.#indexOf(server)
    const { retention, timezone } = await this.retention(server)
    const expired = expiredBackups(await index.backups(), retention, timezone)
    if (expired.length === 0) return
    await index.remove(...expired.map(({ id }) => id))
    this.#queue.requestMaintenance()
  }

  async #find(server: string, id: string): Promise<StoredBackup> {
    this.#deps.servers.get(server)
    const backup = await this.#indexOf(server).find(id)
    if (!backup) throw new Refusal('ErrBackupNotFound')
    return backup
  }

  async #recover(marker: JobMarker): Promise<void> {
    this.#queue.addInterrupted(marker)
    const server = this.#deps.servers.find(marker.server)
    if (!server || (await recoverJob(server, marker, this.#deps.log))) await this.#markers.remove(marker.id)
  }

  /** Finds backups that the index lost, forgets deleted ones, frees their space, and measures the others. */
  async #maintain(signal: AbortSignal): Promise<void> {
    if (!(await this.#restic.isInitialized())) return
    await this.#restic.prepare(signal)
    if (!this.#isReconciled) await this.#reconcile(signal)
    await this.#forget(signal)
    for (const server of await this.#indexedServers()) await this.#measure(server, signal)
  }

  async #forget(signal: AbortSignal): Promise<void> {
    const forgotten: (readonly [server: string, snapshots: readonly string[]])[] = []
    for (const server of await this.#indexedServers()) {
      const snapshots = await this.#indexOf(server).forgotten()
      if (snapshots.length === 0) continue
      await forgetSnapshots(this.#restic, { server, snapshots }, signal)
      forgotten.push([server, snapshots])
    }
    if (forgotten.length === 0) return
    await this.#restic.run(['prune'], { signal, priority: idlePriority, timeoutMs: backupTimeoutMs })
    for (const [server, snapshots] of forgotten) {
      await this.#indexOf(server).dropForgotten(snapshots)
      if (!this.#deps.servers.find(server)) await this.#indexOf(server).removeFile()
    }
  }

  async #measure(server: string, signal: AbortSignal): Promise<void> {
    const index = this.#indexOf(server)
    const backups = await index.backups()
    if (backups.length === 0) return
    const measure = (some: readonly StoredBackup[]) =>
      measureSnapshots(this.#restic, some.flatMap(snapshotsOf), { signal, priority: idlePriority })
    const known = await index.storedBytes()
    const bytes = known ?? (await measure(backups))
    if (known === undefined) await index.setStoredBytes(bytes, backups)
    const { maxBytes } = (await this.retention(server)).retention
    if (maxBytes === 0 || bytes <= maxBytes) return
    const removed = await oldestBeyond(maxBytes, backups, measure)
    if (removed.length === 0) return
    await index.remove(...removed)
    this.#queue.requestMaintenance()
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const snapshots = await listSnapshots(this.#restic, [], signal)
    for (const { id: server } of this.#deps.servers.servers) {
      const index = this.#indexOf(server)
      const [backups, forgotten] = [await index.backups(), await index.forgotten()]
      const known = [...forgotten, ...backups.flatMap((one) => snapshotsOf(one))]
      const own = snapshots.filter(
        ({ tags, id }) => tags?.includes(serverTag(server)) && !known.some((one) => id.startsWith(one)),
      )
      const lost = own.filter(({ tags }) => !tags?.includes(definitionTag)).flatMap((files) => adopted(files, own))
      if (lost.length > 0) await index.add(...lost)
    }
    this.#isReconciled = true
  }

  async #indexedServers(): Promise<string[]> {
    await mkdir(this.#indexDir, { recursive: true, mode: 0o700 })
    const names = (await readdir(this.#indexDir)).filter((name) => name.endsWith('.json'))
    return names.flatMap((name) => ServerId.safeParse(name.slice(0, -'.json'.length)).data ?? [])
  }
}

function toBackup({ snapshot: _, definitionSnapshot: __, ...backup }: StoredBackup): Backup {
  return backup
}

/**
 * The oldest backups without which the others need at most this space. The newest one and locked ones stay; none is
 * deleted for a new one that failed its verification.
 */
async function oldestBeyond(
  maxBytes: number,
  backups: readonly StoredBackup[],
  measure: (backups: readonly StoredBackup[]) => Promise<number>,
): Promise<string[]> {
  const removed: string[] = []
  if (backups.at(-1)?.verification?.error) return removed
  for (const { id } of backups.slice(0, -1).filter(({ isLocked }) => !isLocked)) {
    removed.push(id)
    if ((await measure(backups.filter((backup) => !removed.includes(backup.id)))) <= maxBytes) break
  }
  return removed
}

/** A backup whose index entry was lost: its note, author and sizes are unknown. */
function adopted(files: Snapshot, all: readonly Snapshot[]): StoredBackup[] {
  const tag = files.tags?.find((one) => one.startsWith(backupTag('')))
  const id = tag?.slice(backupTag('').length)
  if (tag === undefined || id === undefined || !/^[0-9a-f]{16}$/.test(id)) return []
  const definition = all.find(({ tags }) => tags?.includes(tag) && tags.includes(definitionTag))
  return [
    {
      ...{ id, name: '', createdAt: new Date(files.time).toISOString(), origin: 'user', server: 'running' },
      ...{ files: 0, bytes: 0, newBytes: 0, durationMs: 0, isLocked: false, snapshot: files.id },
      ...(definition && { definitionSnapshot: definition.id }),
    },
  ]
}
