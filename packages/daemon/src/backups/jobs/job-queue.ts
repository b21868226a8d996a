import { randomUUID } from 'node:crypto'
import type { BackupJob } from '@innkeeper/contract/backups/backups'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { findDiskError } from '../../errors/error-code.ts'
import { backupTimeoutMs } from '../storage/restic.ts'
import type { JobMarker, JobMarkers } from './job-markers.ts'

const maxWaitingJobs = 10
const maxRunningJobs = 3
const defaultTurns: Turns = { sharedMs: 60_000, maxContendedMs: 2 * 60 * 60 * 1000 }
/** How long an ended job is listed. */
const endedJobRetentionMs = 10 * 60 * 1000
/** Concurrent listings and downloads of a node that have just begun, and all, because each needs memory. */
const maxNewReads = 4
const maxReads = 16
const maxReadsPerServer = 2
const askEveryMs = 15_000
/** A client may take long to receive what is read. Less than other reads wait. */
const sharedReadMs = 15_000

/** What a running job can use. */
export interface JobContext {
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number, totalBytes: number) => void
  /** Sets which backup it creates. */
  readonly setBackup: (id: string) => void
  /** Sets what failed although the job succeeds. */
  readonly warn: (warning: Refusal) => void
  /** Records on disk what must be undone if the daemon ends. */
  readonly mark: (
    part: Partial<Pick<JobMarker, 'after' | 'isFrozen' | 'startAgain' | 'replacing' | 'definition' | 'userId'>>,
  ) => Promise<void>
  /** Sets what is closed after the end of the job, before the next one begins. */
  readonly closeLater: (used: AsyncDisposable) => void
}

export interface JobRequest extends Pick<BackupJob, 'type' | 'name'> {
  readonly server: string
  readonly backup?: string
  /** Of the request that starts it, see `findByKey`. */
  readonly idempotencyKey?: string | undefined
  /** Cancels the job, also while it waits. Its reason is a refusal. */
  readonly signal?: AbortSignal | undefined
  /** A job of maintenance: it is canceled as soon as a job of a user or a task is queued. */
  readonly isBackground?: boolean
  readonly run: (context: JobContext) => Promise<void>
}

interface Job extends Omit<JobRequest, 'backup' | 'signal'> {
  readonly id: string
  readonly startedAt: string
  readonly abortController: AbortController
  readonly ended: PromiseWithResolvers<void>
  state: BackupJob['state']
  backup?: string | undefined
  bytes?: number
  totalBytes?: number
  refusal?: Refusal
  warning?: Refusal
  endedAt?: string
  used?: AsyncDisposable
}

/** A job that has a place, until what it used is closed. */
interface ActiveJob {
  readonly job: Job
  /** Monotonic. */
  readonly since: number
  readonly ended: Promise<void>
}

/** A job that has ended. */
export type EndedJob = Pick<JobRequest, 'server' | 'type' | 'name'> & {
  readonly backup?: string | undefined
  readonly refusal?: Refusal | undefined
  /** What failed although the job succeeded. */
  readonly warning?: Refusal | undefined
}

export interface StartedJob {
  readonly job: BackupJob
  readonly ended: Promise<void>
}

export interface DueWork {
  /** When it may begin, in milliseconds since 1970. */
  readonly at: number
  /** Queues it. After that the source has other work, or none. */
  readonly start: () => unknown
}

/** Background work that is due at certain times: the queue asks for it when no job runs or waits. */
export interface JobSource {
  /** The work that may begin first. */
  next(now: number): Promise<DueWork | undefined>
}

interface BackgroundWork {
  /** Work without urgency. Aborted when a job or a read begins, and repeated when they have ended, or when it asks for it. */
  readonly maintain: (signal: AbortSignal) => Promise<'done' | 'again'>
  readonly sources: readonly JobSource[]
  /** How often sources are asked while nothing changes. */
  readonly everyMs?: number | undefined
}

interface Turns {
  /** How long the jobs of other servers wait for one that runs. Then they run beside it, while there are places. */
  readonly sharedMs: number
  /** How long a job may have a place for which jobs of other servers wait. */
  readonly maxContendedMs: number
}

interface Deps {
  readonly markers: JobMarkers
  /** Called when a job has ended; with a refusal if it failed or was canceled. */
  readonly onEnd: (job: EndedJob) => void
  /** How long an ended job is listed. */
  readonly endedJobMs?: number | undefined
  /** Whether the node has the memory for another restic. */
  readonly canRunBeside?: () => boolean
  readonly turns?: Turns
  readonly sharedReadMs?: number
  readonly log: Logger
}

/**
 * The backup jobs of a node, then maintenance: one at a time, in turns of the servers and in order for each. Others begin
 * beside a job that takes long, and one that takes very long while they wait is ended: a server whose files take for ever
 * to read must not hold up the backups of all others.
 */
export class JobQueue {
  readonly #deps: Deps
  readonly #turns: Turns
  /** Oldest first. */
  readonly #jobs = new Map<string, Job>()
  readonly #waiting: Job[] = []
  readonly #active = new Map<string, ActiveJob>()
  /** When a job of a server last began: the order of turns. */
  readonly #servedAt = new Map<string, number>()
  readonly #reads = new Semaphore(maxReads, { perKey: maxReadsPerServer })
  readonly #newReads: Semaphore
  readonly #expiryTimers = new Set<NodeJS.Timeout>()
  /** Until it is looked again which job can begin, or must end. */
  #turnTimer: NodeJS.Timeout | undefined
  #maintenance: { readonly ended: Promise<void>; readonly abortController: AbortController } | undefined
  #isMaintenanceWanted = false
  #background: { readonly maintain: BackgroundWork['maintain']; readonly asking: PeriodicJob } | undefined
  #activeReads = 0
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#turns = deps.turns ?? defaultTurns
    this.#newReads = new Semaphore(maxNewReads, { sharedMs: deps.sharedReadMs ?? sharedReadMs })
  }

  /** The jobs of a server, newest first. */
  list(server: string): BackupJob[] {
    return [...this.#jobs.values()]
      .filter((job) => job.server === server)
      .toReversed()
      .map(toBackupJob)
  }

  /** Throws ErrNotFound. */
  get(server: string, id: string): BackupJob {
    const job = this.list(server).find((candidate) => candidate.id === id)
    if (!job) throw new Refusal('ErrNotFound')
    return job
  }

  /** The job that a request with this key has started. */
  findByKey(server: string, key: string): BackupJob | undefined {
    const job = [...this.#jobs.values()].find(
      (candidate) => candidate.server === server && candidate.idempotencyKey === key,
    )
    return job && toBackupJob(job)
  }

  /** Queues a job; `ended` settles with its outcome. */
  start({ signal, ...request }: JobRequest): StartedJob {
    if (this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
    if (this.#waiting.filter(({ server }) => server === request.server).length >= maxWaitingJobs)
      throw new Refusal('ErrTooMany', { max: maxWaitingJobs })
    const job: Job = {
      ...request,
      id: randomUUID(),
      startedAt: new Date().toISOString(),
      abortController: new AbortController(),
      ended: Promise.withResolvers(),
      state: 'waiting',
    }
    // The failure is in the list, even if no caller waits.
    job.ended.promise.catch(() => {})
    signal?.throwIfAborted()
    const cancel = () => this.#cancel(job, signal?.reason as Refusal)
    signal?.addEventListener('abort', cancel)
    void job.ended.promise.catch(() => {}).then(() => signal?.removeEventListener('abort', cancel))
    this.#jobs.set(job.id, job)
    this.#waiting.push(job)
    this.#maintenance?.abortController.abort()
    if (!job.isBackground)
      for (const { job: active } of this.#active.values())
        if (active.isBackground) this.#cancel(active, new Refusal('ErrCancelled'))
    this.#next()
    return { job: toBackupJob(job), ended: job.ended.promise }
  }

  /** Lists a job that an earlier daemon did not end. */
  addInterrupted({ id, type, backup, name, startedAt, server, idempotencyKey }: JobMarker): void {
    const job: Job = {
      id,
      type,
      backup,
      name,
      startedAt,
      server,
      idempotencyKey,
      run: async () => {},
      abortController: new AbortController(),
      ended: Promise.withResolvers(),
      state: 'running',
    }
    job.ended.promise.catch(() => {})
    this.#jobs.set(id, job)
    this.#end(job, new Refusal('ErrTaskInterrupted'))
  }

  cancel(server: string, id: string): void {
    const job = this.#jobs.get(id)
    if (job?.server !== server) throw new Refusal('ErrNotFound')
    this.#cancel(job, new Refusal('ErrCancelled'))
  }

  /** Cancels the jobs of a server and waits for their end. */
  async cancelAll(server?: string, reason = new Refusal('ErrCancelled')): Promise<void> {
    const matches = (job: Job) => server === undefined || job.server === server
    const jobs = [...this.#jobs.values()].filter(matches)
    for (const job of jobs) this.#cancel(job, reason)
    await Promise.allSettled(jobs.map(({ ended }) => ended.promise))
    if (server !== undefined) this.#servedAt.delete(server)
    // What they used is closed then.
    await Promise.all([...this.#active.values()].filter(({ job }) => matches(job)).map(({ ended }) => ended))
  }

  /**
   * Waits until the repository can be read without a lock. The caller must call the returned function once. Throws
   * ErrBackupReadsBusy when other reads do not end in time.
   */
  async beginRead(server: string, signal: AbortSignal, maxWaitMs?: number): Promise<() => void> {
    const late = new AbortController()
    const onLate = () => late.abort(new Refusal('ErrBackupReadsBusy'))
    const timer = maxWaitMs === undefined ? undefined : setTimeout(onLate, maxWaitMs)
    const either = AbortSignal.any([signal, late.signal])
    const waiting = this.#acquireRead({ key: server, signal: either })
    const slots = await waiting.finally(() => clearTimeout(timer))
    this.#activeReads++
    const maintenance = this.#maintenance
    maintenance?.abortController.abort()
    await maintenance?.ended
    return () => {
      slots[Symbol.dispose]()
      this.#activeReads--
      this.#next()
    }
  }

  async #acquireRead(options: { readonly key: string; readonly signal: AbortSignal }): Promise<Disposable> {
    using slots = new DisposableStack()
    slots.use(await this.#reads.acquire(options))
    slots.use(await this.#newReads.acquire(options))
    return slots.move()
  }

  /** Runs the maintenance when nothing else is to be done. */
  requestMaintenance(): void {
    this.#isMaintenanceWanted = true
    this.#next()
  }

  /** Begins maintenance, and to ask the sources for work. */
  startBackground({ maintain, sources, everyMs = askEveryMs }: BackgroundWork): void {
    const asking = new PeriodicJob({
      everyMs,
      run: () => this.#startDue(sources),
      onError: (err) => this.#deps.log.error({ err }, 'failed to begin background work on backups'),
    })
    this.#background = { maintain, asking: asking.start() }
    this.#next()
  }

  /** Looks soon whether a source has work that may begin. */
  askSources(): void {
    this.#background?.asking.wake()
  }

  async #startDue(sources: readonly JobSource[]): Promise<void> {
    const now = Date.now()
    const due: DueWork[] = []
    for (const source of sources) {
      const next = await source.next(now).catch((err: unknown) => {
        this.#deps.log.error({ err }, 'failed to look for background work on backups')
        return undefined
      })
      if (next && next.at <= now) due.push(next)
    }
    const [first] = due.toSorted((a, b) => a.at - b.at)
    if (first && this.#isFree) await first.start()
  }

  /** Whether no job runs or waits, and no maintenance. */
  get #isFree(): boolean {
    return this.#active.size === 0 && this.#waiting.length === 0 && !this.#maintenance && !this.#isClosed
  }

  /** Resolves when nothing runs and nothing waits. */
  async #idle(): Promise<void> {
    while (this.#active.size > 0 || this.#maintenance)
      await Promise.all([this.#maintenance?.ended, ...[...this.#active.values()].map(({ ended }) => ended)])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isMaintenanceWanted = false
    this.#maintenance?.abortController.abort()
    await this.#background?.asking.close()
    await this.cancelAll(undefined, new Refusal('ErrTaskInterrupted'))
    await this.#idle()
    clearTimeout(this.#turnTimer)
    for (const timer of this.#expiryTimers) clearTimeout(timer)
  }

  #cancel(job: Job, reason: Refusal): void {
    job.abortController.abort(reason)
    const at = this.#waiting.indexOf(job)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    this.#end(job, reason)
  }

  #next(): void {
    clearTimeout(this.#turnTimer)
    if (this.#maintenance) return
    for (let job = this.#takeNext(); job; job = this.#takeNext()) this.#begin(job)
    if (this.#waiting.length > 0) this.#endContended()
    if (!this.#isFree || !this.#background) return
    if (this.#isMaintenanceWanted && this.#activeReads === 0) this.#maintain(this.#background.maintain)
    else this.askSources()
  }

  /** Takes the job that can begin now, if there is one: of the server whose last turn was the longest ago. */
  #takeNext(): Job | undefined {
    const active = [...this.#active.values()]
    const areLong = active.every(({ since }) => performance.now() - since >= this.#turns.sharedMs)
    const { canRunBeside = () => true } = this.#deps
    if (active.length > 0 && (!areLong || active.length >= maxRunningJobs || !canRunBeside())) return undefined
    const getTurn = ({ server }: Job) => this.#servedAt.get(server) ?? Number.NEGATIVE_INFINITY
    const [next] = this.#waiting
      .filter(({ server, isBackground }) => active.length === 0 || !(isBackground || this.#isActive(server)))
      .toSorted((a, b) => getTurn(a) - getTurn(b))
    if (!next) return undefined
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    return next
  }

  #isActive(server: string): boolean {
    return [...this.#active.values()].some(({ job }) => job.server === server)
  }

  #begin(job: Job): void {
    job.state = 'running'
    this.#servedAt.set(job.server, performance.now())
    const work = async () => {
      const cause = await this.#run(job)
      this.#end(job, cause)
      // What a restore used is closed before the next job of the server begins.
      if (job.used) await this.#close(job.used)
      this.#active.delete(job.id)
      this.#next()
    }
    // Not synchronous: the caller is still changing the queue.
    this.#active.set(job.id, { job, since: performance.now(), ended: Promise.resolve().then(work) })
  }

  /** Ends jobs that have had a place for too long while others wait; looks again when that may have changed. */
  #endContended(): void {
    const { sharedMs, maxContendedMs } = this.#turns
    const now = performance.now()
    const areWaiting = (server: string) => this.#waiting.some((job) => job.server !== server && !job.isBackground)
    for (const { job, since } of this.#active.values()) {
      if (now - since < maxContendedMs || !areWaiting(job.server)) continue
      this.#cancel(job, new Refusal('ErrTaskTooLong', { hours: maxContendedMs / 3_600_000 }))
    }
    const times = [...this.#active.values()].flatMap(({ since }) => [since + sharedMs, since + maxContendedMs])
    const next = Math.min(...times.filter((time) => time > now), now + sharedMs)
    this.#turnTimer = setTimeout(() => this.#next(), next - now).unref()
  }

  async #close(used: AsyncDisposable): Promise<void> {
    try {
      await used[Symbol.asyncDispose]()
    } catch (err) {
      this.#deps.log.error({ err }, 'failed to close what a backup job used')
    }
  }

  #maintain(maintain: BackgroundWork['maintain']): void {
    this.#isMaintenanceWanted = false
    const abortController = new AbortController()
    const work = async () => {
      const outcome = await maintain(abortController.signal).catch((error: unknown) => {
        if (abortController.signal.aborted) return 'again'
        this.#deps.log.error({ err: error }, 'failed to clean up the backup repository')
        return 'done'
      })
      if (outcome === 'again' && !this.#isClosed) this.#isMaintenanceWanted = true
      this.#maintenance = undefined
      this.#next()
    }
    // Not synchronous: the caller is still changing the queue.
    this.#maintenance = { ended: Promise.resolve().then(work), abortController }
  }

  /** Runs the job. Returns why it failed. */
  async #run(job: Job): Promise<unknown> {
    const { id, type, name, server, startedAt, idempotencyKey, abortController } = job
    const { markers } = this.#deps
    let marker: JobMarker = {
      id,
      type,
      name,
      server,
      startedAt,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(job.backup !== undefined && { backup: job.backup }),
    }
    try {
      await markers.write(marker)
      await job.run({
        signal: AbortSignal.any([abortController.signal, AbortSignal.timeout(backupTimeoutMs)]),
        onProgress(bytes, totalBytes) {
          job.bytes = bytes
          job.totalBytes = totalBytes
        },
        setBackup(backup) {
          job.backup = backup
        },
        warn(warning) {
          job.warning = warning
        },
        closeLater(used) {
          job.used = used
        },
        async mark(part) {
          marker = { ...marker, ...part }
          await markers.write(marker)
        },
      })
      return undefined
    } catch (cause) {
      return cause ?? new Error('a backup job failed without a reason')
    } finally {
      // If files are missing, the next daemon tries to recover them again.
      if (marker.replacing === undefined) {
        await markers.remove(id).catch((err: unknown) => {
          this.#deps.log.error({ err }, 'the record of a backup job cannot be removed')
        })
      }
    }
  }

  #end(job: Job, cause: unknown): void {
    job.endedAt = new Date().toISOString()
    if (cause === undefined) {
      job.state = 'done'
      job.ended.resolve()
    } else {
      const { aborted, reason } = job.abortController.signal
      job.refusal = aborted ? (reason as Refusal) : this.#refusalFor(cause, job)
      job.state = job.refusal.code === 'ErrCancelled' ? 'cancelled' : 'failed'
      job.ended.reject(job.refusal)
    }
    this.#deps.onEnd(job)
    const timer = setTimeout(() => {
      this.#jobs.delete(job.id)
      this.#expiryTimers.delete(timer)
    }, this.#deps.endedJobMs ?? endedJobRetentionMs).unref()
    this.#expiryTimers.add(timer)
  }

  #refusalFor(cause: unknown, { type, server }: Job): Refusal {
    if (cause instanceof Refusal) {
      if (cause.cause !== undefined) this.#deps.log.warn({ err: cause.cause, type, server }, 'a backup job failed')
      return cause
    }
    const reason = findDiskError(cause)
    if (reason !== undefined) return new Refusal('ErrDisk', { reason }, { cause })
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
    if (isTimeout) return new Refusal('ErrTaskTooLong', { hours: backupTimeoutMs / 3_600_000 }, { cause })
    this.#deps.log.error({ err: cause, type, server }, 'a backup job failed')
    return new Refusal('ErrUnknownError', {}, { cause })
  }
}

function toBackupJob(job: Job): BackupJob {
  const { id, type, state, backup, name, bytes, totalBytes, refusal, startedAt, endedAt } = job
  return {
    id,
    type,
    state,
    name,
    startedAt,
    ...(backup !== undefined && { backup }),
    ...(bytes !== undefined && { bytes }),
    ...(totalBytes !== undefined && { totalBytes }),
    ...(refusal && { error: toEnvelope(refusal).error }),
    ...(endedAt !== undefined && { endedAt }),
  }
}
