import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodePlannedJob } from '@innkeeper/contract/backup-plan'
import type { BackupRetention } from '@innkeeper/contract/backup-retention'
import type { getServerBackupTargets } from '@innkeeper/contract/backup-targets'
import type { Backup, BackupJob, RestoreOptions } from '@innkeeper/contract/backups'
import type { BackupUsage } from '@innkeeper/contract/node-backups'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { z } from 'zod'
import { withRollback } from '../errors/cleanup.ts'
import { isRefusal } from '../errors/refusals.ts'
import type { Confinement, Isolation } from '../isolation/isolation.ts'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Registry } from '../servers/registry.ts'
import { BackupEvents } from './backup-events.ts'
import { BackupIndex, type StoredBackup } from './backup-index.ts'
import { BackupReader } from './backup-reader.ts'
import { Copies } from './copies.ts'
import { type BackupTools, createBackup, type NewBackup } from './create-backup.ts'
import { FileImports } from './file-imports.ts'
import { type JobMarker, JobMarkers } from './job-markers.ts'
import { JobQueue } from './job-queue.ts'
import { Maintenance } from './maintenance.ts'
import { PanelRetention } from './panel-retention.ts'
import { type ProofOptions, ProofSchedule } from './proof-schedule.ts'
import { PruneSchedule } from './prune-schedule.ts'
import { recoverJob } from './recover-job.ts'
import { concurrentMemory, fillServer, type RestoreRequest, restoreBackup } from './restore-backup.ts'
import { RetentionPolicies } from './retention-policies.ts'
import { bestCopyOf, copiesOf, copyOn, type StoredCopy } from './targets/copies.ts'
import { CopyRetries, type CopyRetryOptions, defaultCopyRetries } from './targets/copy-retries.ts'
import { isMissing, makeMissingCopies } from './targets/copy-to-targets.ts'
import { Repositories, type Target } from './targets/repositories.ts'
import { TargetStore } from './targets/target-store.ts'
import { Targets } from './targets/targets.ts'
import { verifyBackup } from './verify-backup.ts'
import { requireCurrent } from './versions.ts'

/** Players of most games lose their connection after ten seconds and more. */
const defaultMaxFrozenMs = 5_000

interface Deps {
  readonly dataDir: string
  readonly servers: Registry
  readonly patterns: PatternMatcher
  readonly confinement: Confinement
  readonly isolation: Pick<Isolation, 'copyOwner' | 'noCopiesReason'>
  /** When backups are proved again, and whether copies of servers are started for it. */
  readonly proofs?: BackupProofs | undefined
  /** Receives the ends of jobs. */
  readonly events?: Pick<NodeEvents, 'add'>
  /** Name or path of restic; looked up in `path`. */
  readonly program?: string | undefined
  readonly path: string
  /** When missing copies of backups are tried again. */
  readonly copyRetries?: CopyRetryOptions | undefined
  /** The longest wait of restic after an error of a target. */
  readonly maxTargetWaitMs?: number | undefined
  /** For servers without an own one, when the panel has no default; without it everything is kept. */
  readonly retention?: BackupRetention | undefined
  /** How long the processes of a server without commands to pause it are frozen at most; with 0 they never are. */
  readonly maxFrozenMs?: number | undefined
  /** How long an ended job is listed. */
  readonly endedJobMs?: number | undefined
  /** How long an import waits for its files. */
  readonly importWaitMs?: number | undefined
  readonly log: Logger
}

export interface BackupProofs extends ProofOptions {
  readonly isBootEnabled: boolean
  readonly bootTimeoutMs?: number | undefined
}

/** The default: backups are verified only on request. */
const noProofs: ProofOptions = { intervalMs: 0, quietHours: { from: 0, to: 24 } }

interface VerifyRequest {
  readonly signal?: AbortSignal | undefined
  readonly isBackground?: boolean
  readonly isThorough?: boolean
  readonly target?: string | undefined
}

type ServerTargets = z.infer<typeof getServerBackupTargets.response>

interface Opened {
  readonly copies: Copies
  readonly store: TargetStore
  readonly prunes: PruneSchedule
  readonly panelRetention: PanelRetention
}

interface StartedJob {
  readonly job: BackupJob
  readonly ended: Promise<void>
}

/** The backups of all servers of this node, in one repository for each target. */
export class Backups {
  /** For administrators. */
  readonly targets: Targets
  readonly reader: BackupReader
  readonly imports: FileImports
  readonly retention: RetentionPolicies
  readonly #deps: Deps
  readonly #store: TargetStore
  readonly #repositories: Repositories
  readonly #queue: JobQueue
  readonly #maintenance: Maintenance
  readonly #markers: JobMarkers
  readonly #copies: Copies
  readonly #proofs: ProofSchedule
  readonly #copyRetries: CopyRetries
  readonly #prunes: PruneSchedule
  readonly #events: BackupEvents
  readonly #indexDir: string
  readonly #indexes = new Map<string, BackupIndex>()

  private constructor(deps: Deps, dir: string, { copies, store, prunes, panelRetention }: Opened) {
    const { log, confinement, path, program = 'restic' } = deps
    this.#deps = deps
    this.#copies = copies
    this.#prunes = prunes
    this.#indexDir = join(dir, 'servers')
    const makeKey = () => randomBytes(32).toString('hex')
    this.#store = store
    this.#repositories = new Repositories(
      { dir, program, path, confinement, log, makeKey, maxTargetWaitMs: deps.maxTargetWaitMs },
      store,
    )
    const [repositories, dropTarget] = [this.#repositories, (id: string) => this.#dropTarget(id)]
    this.targets = new Targets({
      dir,
      path,
      store,
      repositories,
      dropTarget,
      onChanged: (id) => this.#copyRetries.retryNow(id),
      onDefaultsChanged: () => this.#endSolvedFailures(),
    })
    this.#markers = new JobMarkers(join(dir, 'jobs'), log)
    const indexOf = (server: string) => this.#indexOf(server)
    this.#maintenance = new Maintenance({
      ...{ repositories, servers: deps.servers, indexDir: this.#indexDir, prunes, log },
      indexOf,
      maxBytesOf: async (server) => (await this.retention.get(server)).retention.maxBytes,
    })
    const maintain = async (signal: AbortSignal) => {
      if ((await this.#maintenance.run(signal)) === 'again') this.#queue.requestMaintenance()
    }
    this.#queue = new JobQueue({
      markers: this.#markers,
      maintain,
      onEnd: (job) => this.#events.jobEnded(job),
      endedJobMs: deps.endedJobMs,
      canRunBeside: () => copies.freeMemory >= concurrentMemory,
      log,
    })
    this.#events = new BackupEvents({
      ...{ events: deps.events, indexOf, log },
      targetsOf: async (server) => (await this.#targetsOf(server)).map(({ id }) => id),
      missingOn: (server) => this.#targetsWithoutCopies(server),
    })
    this.reader = new BackupReader({ find: (server, id) => this.#read(server, id), queue: this.#queue })
    this.imports = new FileImports({ queue: this.#queue, waitMs: deps.importWaitMs })
    this.retention = new RetentionPolicies({
      ...{ servers: deps.servers, indexOf, panel: panelRetention, configured: deps.retention },
      onChanged: () => this.#queue.requestMaintenance(),
    })
    this.#proofs = new ProofSchedule({
      ...{ servers: deps.servers, log, options: deps.proofs ?? noProofs },
      indexOf,
      isBusy: () => this.#queue.isBusy,
      prove: async (server, { id }) => await (await this.verify(server, id, { isBackground: true })).ended,
    })
    this.#copyRetries = new CopyRetries({
      ...{ servers: deps.servers, log, options: deps.copyRetries ?? defaultCopyRetries },
      missingOn: (server) => this.#targetsWithoutCopies(server),
      isBusy: () => this.#queue.isBusy,
      copy: async (server, target) => await (await this.copy(server, target, { isBackground: true })).ended,
    })
  }

  /** Undoes what jobs of an earlier daemon left. */
  static async open(deps: Deps): Promise<Backups> {
    const dir = join(deps.dataDir, 'backups')
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { isBootEnabled: isEnabled, bootTimeoutMs } = deps.proofs ?? {}
    const copies = await Copies.open({ dataDir: deps.dataDir, isolation: deps.isolation, isEnabled, bootTimeoutMs })
    const { log } = deps
    const { quietHours } = deps.proofs ?? noProofs
    const prunes = await PruneSchedule.open({
      ...{ path: join(dir, 'prunes.json'), directory: dir, quietHours, checkMs: deps.proofs?.checkMs, log },
      onDue: () => backups.#queue.requestMaintenance(),
    })
    const backups: Backups = new Backups(deps, dir, {
      ...{ copies, prunes },
      store: await TargetStore.open(join(dir, 'targets.json'), log),
      panelRetention: await PanelRetention.open(join(dir, 'panel-retention.json'), log),
    })
    for (const marker of await backups.#markers.all()) await backups.#recover(marker)
    if (await backups.#repositories.local.restic.isInitialized()) backups.#queue.requestMaintenance()
    backups.#copyRetries.start()
    return backups
  }

  /** Newest first. */
  async list(server: string): Promise<Backup[]> {
    this.#deps.servers.get(server)
    const backups = (await this.#indexOf(server).backups()).toReversed()
    const retried = await this.#targetsWithoutCopies(server)
    return backups.map((stored) =>
      toBackup(stored, ({ target }) => {
        if (!retried.includes(target) || !isMissing(stored, target)) return undefined
        return new Date(Math.max(Date.now(), this.#copyRetries.nextTryAt(server, target))).toISOString()
      }),
    )
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
    const tools = this.#toolsFor(server)
    let id = ''
    const { job, ended } = this.#queue.start({
      ...{ server, type: 'create', name: newBackup.name, idempotencyKey: newBackup.idempotencyKey, signal },
      run: async (job) => {
        const targets = await this.#targetsOf(server)
        id = (await createBackup({ ...tools, targets }, newBackup, job)).id
        job.setBackup(id)
        await this.#recordMissingCopies(server, targets)
        this.#queue.requestMaintenance()
      },
    })
    const follow = async () => {
      const bootError = verify ? await this.#verifyNew(server, id, signal) : undefined
      // Last: good backups must not be deleted for a damaged one.
      if (newBackup.origin === 'task') await this.retention.apply(server)
      if (bootError) throw bootError
      return id
    }
    const followed = ended.then(async () => {
      return await withRollback(follow(), (err) => {
        this.#deps.log.warn({ err, server, backup: id }, 'the verification or retention after a backup failed')
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
    const { idempotencyKey: key } = newBackup
    const made = (await this.#indexOf(server).backups()).find(({ idempotencyKey }) => idempotencyKey === key)
    // Without a pause until it starts: the same request may arrive twice at once.
    return this.#queue.findByKey(server, key) ?? (made ? doneJobOf(made) : this.create(server, newBackup, options).job)
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
    const { backup, ...tools } = await this.#read(server, id, target)
    return this.#queue.start({
      ...{ server, type: 'verify', name: backup.name, backup: id, signal, isBackground },
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

  /** Makes the missing copies on a target now. Throws ErrNotFound when none is missing. */
  async copy(server: string, target: string, { isBackground = false } = {}): Promise<StartedJob> {
    const tools = this.#toolsFor(server)
    if (!(await this.#targetsWithoutCopies(server)).includes(target)) throw new Refusal('ErrNotFound')
    const { name } = this.#store.get(target)
    const started = this.#queue.start({
      ...{ server, type: 'copy', name, isBackground },
      run: async (job) => {
        await makeMissingCopies(tools, this.#repositories.get(target), job)
        await this.#events.endSolved(server)
      },
    })
    started.ended.then(
      () => this.#copyRetries.ended(server, target, undefined),
      (error: unknown) => this.#copyRetries.ended(server, target, error),
    )
    return started
  }

  /** The targets of a server on which copies of its backups are missing. */
  async #targetsWithoutCopies(server: string): Promise<string[]> {
    const index = this.#indexOf(server)
    const backups = await index.backups()
    const targets = (await this.#targetsOf(server)).map(({ id }) => id)
    return targets.filter((target) => backups.some((backup) => isMissing(backup, target)))
  }

  /** After a backup, which also tried to make earlier copies. */
  async #recordMissingCopies(server: string, targets: readonly Target[]): Promise<void> {
    const missing = await this.#targetsWithoutCopies(server)
    for (const { id } of targets) {
      this.#copyRetries.ended(server, id, missing.includes(id) ? new Refusal('ErrBackupFailed') : undefined)
    }
  }

  async restore(
    server: string,
    id: string,
    request: { readonly options: RestoreOptions } & Pick<RestoreRequest, 'author' | 'userId' | 'rights'>,
  ): Promise<StartedJob> {
    const { backup, ...tools } = await this.#read(server, id, request.options.target)
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

  /** Throws ErrBackupLocked. Its space in the repository is freed later. */
  async remove(server: string, id: string): Promise<void> {
    this.#deps.servers.get(server)
    await this.#indexOf(server).remove(id)
    await this.#events.endSolved(server)
    this.#queue.requestMaintenance()
  }

  /** The next proofs, and when space is freed. */
  async planned(): Promise<NodePlannedJob[]> {
    const isoOf = (at: number) => new Date(at).toISOString()
    const proofs = (await this.#proofs.planned()).map(({ server, at }) => ({
      type: 'proof' as const,
      server,
      at: isoOf(at),
    }))
    const prunes = this.#prunes.planned().map(({ target, at }) => {
      const name = this.#store.find(target)?.name
      return { type: 'prune' as const, at: isoOf(at), ...(name !== undefined && { name }) }
    })
    return [...proofs, ...prunes]
  }

  /** The space of the backups of each server that has some, and what failed. */
  async usage(): Promise<BackupUsage[]> {
    const usages = this.#deps.servers.servers.map(async ({ id: server }) => {
      const index = this.#indexOf(server)
      const [{ length: backups }, bytes] = [await index.backups(), await index.storedBytes()]
      const failure = await this.#events.failureOf(server)
      if (backups === 0 && !failure) return []
      return [{ server, backups, ...(bytes !== undefined && { bytes }), ...(failure && { failure }) }]
    })
    return (await Promise.all(usages)).flat()
  }

  /** Removes the last failure from the overviews. */
  async dismissFailure(server: string): Promise<void> {
    this.#deps.servers.get(server)
    await this.#events.dismiss(server)
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

  /** Fills a new server with the files of a backup of another one. */
  async fill(
    target: string,
    { source, backup: id }: { readonly source: string; readonly backup: string },
  ): Promise<StartedJob> {
    const { server } = this.#toolsFor(target)
    const { backup, ...tools } = await this.#read(source, id)
    return this.#queue.start({
      ...{ server: target, type: 'restore', name: backup.name, backup: id },
      run: (job) => fillServer(tools, { target: server, backup }, job),
    })
  }

  /** Ends the jobs of a server that is about to be removed. */
  async end(server: string): Promise<void> {
    await this.#queue.cancelAll(server)
  }

  /** Removes all backups of a server that was removed, also locked ones. */
  async removeAll(server: string): Promise<void> {
    const index = this.#indexOf(server)
    await index.removeAll()
    if ((await index.targetsToForget()).length === 0) await index.removeFile()
    this.#events.forget(server)
    this.#queue.requestMaintenance()
  }

  /** Resolves when no job runs or waits. */
  async idle(): Promise<void> {
    await this.#queue.idle()
  }

  async close(): Promise<void> {
    this.#prunes.close()
    await Promise.all([this.#queue.close(), this.#proofs.close(), this.#copyRetries.close()])
  }

  /** Where the backups of a server go. */
  async serverTargets(server: string): Promise<ServerTargets> {
    this.#deps.servers.get(server)
    const selected = await this.#indexOf(server).targets()
    return {
      targets: this.#store.targets.map(({ id, name }) => ({ id, name })),
      ...(selected && { selected: [...selected] }),
      defaults: [...this.#store.defaults],
    }
  }

  /** null sets the targets of the node again. Throws ErrStaleVersion when the choice is not `expectedVersion`. */
  async setServerTargets(server: string, targets: readonly string[] | null, expectedVersion?: string): Promise<void> {
    this.#deps.servers.get(server)
    const selected = targets ? this.#store.requireSelection(targets) : undefined
    await this.#indexOf(server).setTargets(selected, (own) => requireCurrent(expectedVersion, own ?? null))
    await this.#events.endSolved(server)
  }

  async #targetsOf(server: string): Promise<readonly Target[]> {
    const selected = (await this.#indexOf(server).targets()) ?? this.#store.defaults
    const targets = this.#repositories.all.filter(({ id }) => selected.includes(id))
    return targets.length > 0 ? targets : [this.#repositories.local]
  }

  async #dropTarget(id: string): Promise<void> {
    await this.#prunes.remove(id)
    for (const server of await this.#maintenance.indexedServers()) await this.#indexOf(server).dropTarget(id)
    await this.#endSolvedFailures()
  }

  /** After a change of targets. */
  async #endSolvedFailures(): Promise<void> {
    for (const { id } of this.#deps.servers.servers) await this.#events.endSolved(id)
  }

  #toolsFor(id: string): BackupTools {
    const { servers, patterns, confinement, maxFrozenMs = defaultMaxFrozenMs, log } = this.#deps
    const { local } = this.#repositories
    return {
      ...{ server: servers.get(id), target: local.id, restic: local.restic, targets: [local], local },
      ...{ index: this.#indexOf(id), copies: this.#copies, patterns, confinement, maxFrozenMs, log },
      report: (target, error) => this.#repositories.report(target, error),
    }
  }

  /** A backup with its snapshots on a target, and what reads it there. */
  async #read(server: string, id: string, from?: string): Promise<BackupTools & { readonly backup: StoredBackup }> {
    const backup = await this.#find(server, id)
    const copy = from === undefined ? bestCopyOf(backup) : copyOn(backup, from)
    if (copy?.state !== 'stored') throw new Refusal('ErrBackupNotFound')
    const { target, snapshot, definitionSnapshot } = copy
    const { restic } = this.#repositories.get(target)
    return { ...this.#toolsFor(server), target, restic, backup: { ...backup, snapshot, definitionSnapshot } }
  }

  #indexOf(server: string): BackupIndex {
    const index = this.#indexes.get(server) ?? new BackupIndex(this.#indexDir, server, this.#deps.log)
    this.#indexes.set(server, index)
    return index
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
}

/** The job that made a backup, when it is not listed any more. */
function doneJobOf({ id, name, createdAt, durationMs }: StoredBackup): BackupJob {
  const endedAt = new Date(Date.parse(createdAt) + durationMs).toISOString()
  return { id, type: 'create', state: 'done', backup: id, name, startedAt: createdAt, endedAt }
}

function toBackup(stored: StoredBackup, nextTryOf: (copy: StoredCopy) => string | undefined = () => undefined): Backup {
  const { snapshot: _, definitionSnapshot: __, idempotencyKey: ___, ...backup } = stored
  const copies = copiesOf(stored).map((copy) => {
    const { target, state, error, verification } = copy
    const nextTryAt = nextTryOf(copy)
    return {
      ...{ target, state },
      ...(error && { error }),
      ...(nextTryAt !== undefined && { nextTryAt }),
      ...(verification && { verification }),
    }
  })
  return { ...backup, copies }
}
