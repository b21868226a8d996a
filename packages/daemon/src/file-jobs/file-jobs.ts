import { randomUUID } from 'node:crypto'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import type { FileJob, FileJobRequest } from '@innkeeper/contract/servers/files'
import type { Logger } from 'pino'
import { findDiskError } from '../errors/error-code.ts'
import type { RootFs } from '../files/root.ts'
import { Progress } from '../files/tree/progress.ts'
import type { DiscardContext, TrashSink } from '../trash/trash-sink.ts'
import { runFileJob } from './run-job.ts'

export const maxRunningJobs = 2
export const maxWaitingJobs = 20
/** How long an ended job is listed. */
const endedJobRetentionMs = 10 * 60 * 1000

interface Deps {
  /** Throws ErrServerNotFound while the server is being removed. */
  readonly openFiles: (discarded: TrashSink, permissions: () => TicketPermissions) => Promise<RootFs>
  readonly trashSink: (context: DiscardContext) => TrashSink
  readonly log: Logger
}

/** Who starts a job. */
interface JobUser {
  readonly username: string | undefined
  readonly permissions: TicketPermissions
}

interface Job {
  readonly id: string
  /** Receives what it deletes or replaces. */
  readonly discarded: TrashSink
  readonly request: FileJobRequest
  /** Those of the user who started it. */
  readonly permissions: TicketPermissions
  readonly progress: Progress
  readonly startedAt: Date
  readonly abortController: AbortController
  readonly ended: PromiseWithResolvers<void>
  state: FileJob['state']
  refusal?: Refusal
  endedAt?: Date
}

/** The file jobs of one server: a few run at once, others wait, and ended ones are listed for a while. */
export class FileJobs {
  readonly #deps: Deps
  /** Oldest first. */
  readonly #jobs = new Map<string, Job>()
  readonly #expiryTimers = new Set<NodeJS.Timeout>()
  readonly #waiting: Job[] = []
  #running = 0
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Running and recently ended jobs, newest first. */
  get list(): FileJob[] {
    return [...this.#jobs.values()].reverse().map(toFileJob)
  }

  /** Starts a job or queues it; `ended` settles with its outcome. */
  start(
    request: FileJobRequest,
    { username: author, permissions }: JobUser,
  ): { readonly job: FileJob; readonly ended: Promise<void> } {
    if (this.#isClosed) throw new Refusal('ErrServerNotFound')
    if (this.#waiting.length >= maxWaitingJobs) throw new Refusal('ErrTooMany', { max: maxWaitingJobs })
    const job: Job = {
      id: randomUUID(),
      discarded: this.#deps.trashSink({ author, ...(request.kind === 'extract' && { reason: 'extracted' }) }),
      request,
      permissions,
      progress: new Progress(),
      startedAt: new Date(),
      abortController: new AbortController(),
      ended: Promise.withResolvers(),
      state: 'running',
    }
    // The failure is in the list, even if no caller waits.
    job.ended.promise.catch(() => {})
    this.#jobs.set(job.id, job)
    this.#waiting.push(job)
    this.#next()
    return { job: toFileJob(job), ended: job.ended.promise }
  }

  /** Cancels a running or waiting job; ended ones stay. */
  cancel(id: string): void {
    const job = this.#jobs.get(id)
    if (!job) throw new Refusal('ErrNotFound')
    job.abortController.abort(new Refusal('ErrCancelled'))
    const at = this.#waiting.indexOf(job)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    this.#end(job, job.abortController.signal.reason)
  }

  /** Cancels everything and waits for its end; nothing starts afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true
    const ends = [...this.#jobs.values()].map(({ ended }) => ended.promise)
    for (const id of this.#jobs.keys()) this.cancel(id)
    await Promise.allSettled(ends)
    for (const timer of this.#expiryTimers) clearTimeout(timer)
  }

  #next(): void {
    while (this.#running < maxRunningJobs) {
      const job = this.#waiting.shift()
      if (!job) return
      this.#running++
      const ending = this.#run(job).then(
        () => undefined,
        (cause: unknown) => cause ?? new Error('file job failed without a reason'),
      )
      void ending.then((cause) => {
        this.#running--
        this.#end(job, cause)
        this.#next()
      })
    }
  }

  async #run({ request, discarded, permissions, progress, abortController: { signal } }: Job): Promise<void> {
    await using files = await this.#deps.openFiles(discarded, () => permissions)
    await runFileJob(request, { files, progress, signal })
  }

  #end(job: Job, cause: unknown): void {
    job.endedAt = new Date()
    if (cause === undefined) {
      job.state = 'done'
      job.ended.resolve()
    } else {
      const isCanceled = job.abortController.signal.aborted
      job.refusal = isCanceled ? new Refusal('ErrCancelled') : this.#refusalFor(cause, job)
      job.state = isCanceled ? 'cancelled' : 'failed'
      job.ended.reject(job.refusal)
    }
    const timer = setTimeout(() => {
      this.#jobs.delete(job.id)
      this.#expiryTimers.delete(timer)
    }, endedJobRetentionMs).unref()
    this.#expiryTimers.add(timer)
  }

  #refusalFor(cause: unknown, { request }: Job): Refusal {
    if (cause instanceof Refusal) return cause
    const reason = findDiskError(cause)
    if (reason !== undefined) return new Refusal('ErrDisk', { reason }, { cause })
    this.#deps.log.error({ err: cause, kind: request.kind }, 'a file job failed')
    return new Refusal('ErrUnknownError', {}, { cause })
  }
}

function toFileJob({ id, request, discarded, progress, state, refusal, startedAt, endedAt }: Job): FileJob {
  const { entries, totalEntries, bytes, totalBytes, skipped, skippedCount } = progress
  const paths = request.kind === 'extract' ? [request.path] : request.paths
  return {
    id,
    kind: request.kind,
    path: paths[0] ?? '',
    paths: paths.length,
    ...(request.kind !== 'delete' && { destination: request.destination }),
    state,
    entries,
    ...(totalEntries !== undefined && { totalEntries }),
    bytes,
    ...(totalBytes !== undefined && { totalBytes }),
    ...(skippedCount > 0 && { skipped: [...skipped], skippedCount }),
    ...(state !== 'running' && discarded.ids.length > 0 && { trash: [...discarded.ids] }),
    ...(refusal && { error: toEnvelope(refusal).error }),
    startedAt: startedAt.toISOString(),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  }
}
