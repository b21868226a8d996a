import type { Backup, BackupJob, RestoreOptions } from '@innkeeper/contract/backups/backups'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import { withRollback } from '../errors/cleanup.ts'
import { isRefusal } from '../errors/refusals.ts'
import type { BackupAccess } from './backup-access.ts'
import type { BackupEvents } from './backup-events.ts'
import { createBackup, type NewBackup } from './create-backup.ts'
import type { JobMarkers } from './jobs/job-markers.ts'
import type { JobQueue, StartedJob } from './jobs/job-queue.ts'
import { fillServer, type RestoreRequest, restoreBackup } from './restore-backup.ts'
import type { RetentionPolicies } from './retention-policies.ts'
import type { BackupIndexes, StoredBackup } from './storage/backup-index.ts'
import { getCopies } from './storage/stored-copies.ts'
import { isMissing } from './targets/copy-to-targets.ts'
import type { MissingCopies } from './targets/missing-copies.ts'
import type { ServerTargets } from './targets/server-targets.ts'
import { verifyBackup } from './verify-backup.ts'

interface Deps {
  readonly access: BackupAccess
  readonly indexes: BackupIndexes
  readonly serverTargets: ServerTargets
  readonly missingCopies: MissingCopies
  readonly queue: JobQueue
  readonly markers: JobMarkers
  readonly retention: RetentionPolicies
  readonly events: BackupEvents
  readonly log: Logger
}

interface VerifyRequest {
  readonly signal?: AbortSignal | undefined
  readonly isBackground?: boolean
  readonly isThorough?: boolean
  readonly target?: string | undefined
}

/** The backups of all servers of a node: creates, verifies, restores and deletes them, by jobs of the queue. */
export class ServerBackups {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Newest first. */
  async list(server: string): Promise<Backup[]> {
    const { access, missingCopies } = this.#deps
    const backups = (await access.toolsFor(server).index.backups()).toReversed()
    const nextAttempts = await missingCopies.nextAttempts(server)
    return backups.map((stored) => toBackup(stored, nextAttempts))
  }

  /**
   * An aborted signal cancels the job. `ended` resolves with the ID of the backup, after what follows: with `verify` a
   * verification, then for a task the deletion of expired backups.
   */
  create(
    server: string,
    newBackup: NewBackup,
    { signal, verify = false }: { readonly signal?: AbortSignal; readonly verify?: boolean } = {},
  ): { readonly job: BackupJob; readonly ended: Promise<string> } {
    const { access, queue, retention, log } = this.#deps
    const tools = access.toolsFor(server)
    let id = ''
    const { job, ended } = queue.start({
      server,
      type: 'create',
      name: newBackup.name,
      idempotencyKey: newBackup.idempotencyKey,
      signal,
      run: async (job) => {
        const targets = await this.#deps.serverTargets.of(server)
        id = (await createBackup(tools, newBackup, targets, job)).id
        job.setBackup(id)
        await this.#deps.missingCopies.backedUp(server, targets)
        queue.requestMaintenance()
      },
    })
    const follow = async () => {
      const bootError = verify ? await this.#verifyNew(server, id, signal) : undefined
      // Last: good backups must not be deleted for a damaged one.
      if (newBackup.origin === 'task') await retention.apply(server)
      if (bootError) throw bootError
      return id
    }
    const followed = ended.then(async () => {
      return await withRollback(follow(), (err) => {
        log.warn({ err, server, backup: id }, 'the verification or retention after a backup failed')
      })
    })
    // Logged above; the failure of the backup itself is in the list of jobs.
    followed.catch(() => {})
    return { job, ended: followed }
  }

  /** Starts a backup, unless a request with the same key did. */
  async createOnce(
    server: string,
    newBackup: NewBackup & { readonly idempotencyKey: string },
    options?: { readonly verify?: boolean },
  ): Promise<BackupJob> {
    const { indexes, queue } = this.#deps
    const { idempotencyKey: key } = newBackup
    const made = (await indexes.of(server).backups()).find(({ idempotencyKey }) => idempotencyKey === key)
    // Without a pause until it starts: the same request may arrive twice at once.
    return queue.findByKey(server, key) ?? (made ? getDoneJob(made) : this.create(server, newBackup, options).job)
  }

  /**
   * Unless told otherwise, it restores all files if a copy of the server can be started from them. Without a target it
   * reads the first that has the backup.
   */
  async verify(
    server: string,
    id: string,
    { signal, target, isBackground = false, isThorough = true }: VerifyRequest = {},
  ): Promise<StartedJob> {
    const { backup, ...tools } = await this.#deps.access.open(server, id, target)
    return this.#deps.queue.start({
      server,
      type: 'verify',
      name: backup.name,
      backup: id,
      signal,
      isBackground,
      run: (job) => verifyBackup(tools, backup, { isThorough }, job),
    })
  }

  /** Verifies a new backup. Returns why a copy of the server did not become ready: the data itself is good. */
  async #verifyNew(server: string, id: string, signal: AbortSignal | undefined): Promise<Refusal | undefined> {
    const { ended } = await this.verify(server, id, { signal, isThorough: false })
    return await ended.then(
      () => undefined,
      (error: unknown) => {
        if (isRefusal(error, 'ErrBackupNotBooted')) return error
        throw error
      },
    )
  }

  async restore(
    server: string,
    id: string,
    request: { readonly options: RestoreOptions } & Pick<RestoreRequest, 'author' | 'userId' | 'permissions'>,
  ): Promise<StartedJob> {
    const { backup, ...tools } = await this.#deps.access.open(server, id, request.options.target)
    return this.#deps.queue.start({
      server,
      type: 'restore',
      name: backup.name,
      backup: id,
      run: async (job) => {
        await restoreBackup(tools, { ...request, backup }, job)
        if (!request.options.paths) await this.#deps.markers.removeIncomplete(server)
      },
    })
  }

  /** Fills a new server with the files of a backup of another one. */
  async fill(
    target: string,
    { source, backup: id }: { readonly source: string; readonly backup: string },
  ): Promise<StartedJob> {
    const { access, queue } = this.#deps
    const { server } = access.toolsFor(target)
    const { backup, ...tools } = await access.open(source, id)
    return queue.start({
      server: target,
      type: 'restore',
      name: backup.name,
      backup: id,
      run: (job) => fillServer(tools, { target: server, backup }, job),
    })
  }

  /** Changes the given fields. */
  async edit(
    server: string,
    id: string,
    changes: { readonly name?: string | undefined; readonly isLocked?: boolean | undefined },
  ): Promise<Backup> {
    const { access, indexes } = this.#deps
    await access.find(server, id)
    const { name, isLocked } = changes
    await indexes.of(server).update(id, (backup) => ({
      ...backup,
      ...(name !== undefined && { name }),
      ...(isLocked !== undefined && { isLocked }),
    }))
    return toBackup(await access.find(server, id))
  }

  /** Throws ErrBackupLocked. Its space in the repository is freed later. */
  async remove(server: string, id: string): Promise<void> {
    const { access, events, queue } = this.#deps
    await access.toolsFor(server).index.remove(id)
    await events.endSolved(server)
    queue.requestMaintenance()
  }

  /** Removes all backups of a server that was removed, also locked ones. */
  async removeAll(server: string): Promise<void> {
    const { indexes, events, queue } = this.#deps
    const index = indexes.of(server)
    await index.removeAll()
    if ((await index.targetsToForget()).length === 0) await index.removeFile()
    events.forget(server)
    queue.requestMaintenance()
  }
}

/** The job that made a backup, when it is not listed any more. */
function getDoneJob({ id, name, createdAt, durationMs }: StoredBackup): BackupJob {
  const endedAt = new Date(Date.parse(createdAt) + durationMs).toISOString()
  return { id, type: 'create', state: 'done', backup: id, name, startedAt: createdAt, endedAt }
}

/** `nextAttempts` are the times of the next attempts at missing copies, by target. */
function toBackup(stored: StoredBackup, nextAttempts: ReadonlyMap<string, string> = new Map()): Backup {
  const { snapshot: _, definitionSnapshot: __, idempotencyKey: ___, ...backup } = stored
  const copies = getCopies(stored).map(({ target, state, error, verification }) => {
    const nextTryAt = isMissing(stored, target) ? nextAttempts.get(target) : undefined
    return {
      target,
      state,
      ...(error && { error }),
      ...(nextTryAt !== undefined && { nextTryAt }),
      ...(verification && { verification }),
    }
  })
  return { ...backup, copies }
}
