import { randomUUID } from 'node:crypto'
import type { FileJob, FileWork } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { diskTroubleOf } from '../files/error-code.ts'
import type { RootFs } from '../files/root.ts'
import { Progress } from '../files/tree/progress.ts'
import { perform } from './run-job.ts'

interface Deps {
  /** Throws ErrServerNotFound when the server is leaving. */
  readonly openFiles: () => Promise<RootFs>
  readonly log: Logger
}

interface Job {
  readonly id: string
  readonly work: FileWork
  readonly progress: Progress
  readonly startedAt: Date
  readonly cancelling: AbortController
  readonly ended: PromiseWithResolvers<void>
  state: FileJob['state']
  refusal?: Refusal
  endedAt?: Date
}

/** Work on the files of one server: a few at once, others wait their turn, and what has ended is told for a while. */
export class FileJobs {
  readonly #deps: Deps
  /** The oldest first. */
  readonly #jobs = new Map<string, Job>()
  readonly #expiryTimers = new Set<NodeJS.Timeout>()
  readonly #waiting: Job[] = []
  #running = 0
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What is at work and what ended lately, the newest first. */
  get list(): FileJob[] {
    return [...this.#jobs.values()].reverse().map(toFileJob)
  }

  /** Begins work, or lets it wait; `ended` says how it went. */
  start(work: FileWork): { readonly job: FileJob; readonly ended: Promise<void> } {
    if (this.#isClosed) throw new Refusal('ErrServerNotFound')
    if (this.#waiting.length >= limits.fileJobsWaiting) throw new Refusal('ErrTooMany', { max: limits.fileJobsWaiting })
    const job: Job = {
      id: randomUUID(),
      work,
      progress: new Progress(),
      startedAt: new Date(),
      cancelling: new AbortController(),
      ended: Promise.withResolvers(),
      state: 'running',
    }
    // It is told to whoever asks for the list, also when nobody waits for the end.
    job.ended.promise.catch(() => {})
    this.#jobs.set(job.id, job)
    this.#waiting.push(job)
    this.#next()
    return { job: toFileJob(job), ended: job.ended.promise }
  }

  /** Ends work, be it under way or waiting; what has ended already stays as it is. */
  cancel(id: string): void {
    const job = this.#jobs.get(id)
    if (!job) throw new Refusal('ErrNotFound')
    job.cancelling.abort(new Refusal('ErrCancelled'))
    const at = this.#waiting.indexOf(job)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    this.#end(job, job.cancelling.signal.reason)
  }

  /** Cancels everything and waits for the end of it; nothing begins after that. */
  async close(): Promise<void> {
    this.#isClosed = true
    const ends = [...this.#jobs.values()].map(({ ended }) => ended.promise)
    for (const id of this.#jobs.keys()) this.cancel(id)
    await Promise.allSettled(ends)
    for (const timer of this.#expiryTimers) clearTimeout(timer)
  }

  #next(): void {
    while (this.#running < limits.fileJobsAtOnce) {
      const job = this.#waiting.shift()
      if (!job) return
      this.#running++
      void this.#run(job).then((cause) => {
        this.#running--
        this.#end(job, cause)
        this.#next()
      })
    }
  }

  /** Does the work; answers why it failed. */
  async #run({ work, progress, cancelling: { signal } }: Job): Promise<unknown> {
    try {
      await using files = await this.#deps.openFiles()
      await perform(work, { files, progress, signal })
      return undefined
    } catch (cause) {
      return cause ?? new Error('work failed without a reason')
    }
  }

  #end(job: Job, cause: unknown): void {
    job.endedAt = new Date()
    if (cause === undefined) {
      job.state = 'done'
      job.ended.resolve()
    } else {
      const isCancelled = job.cancelling.signal.aborted
      job.refusal = isCancelled ? new Refusal('ErrCancelled') : this.#refusalFor(cause, job)
      job.state = isCancelled ? 'cancelled' : 'failed'
      job.ended.reject(job.refusal)
    }
    const timer = setTimeout(() => {
      this.#jobs.delete(job.id)
      this.#expiryTimers.delete(timer)
    }, limits.fileJobKeptMs).unref()
    this.#expiryTimers.add(timer)
  }

  #refusalFor(cause: unknown, { work }: Job): Refusal {
    if (cause instanceof Refusal) return cause
    const reason = diskTroubleOf(cause)
    if (reason !== undefined) return new Refusal('ErrDisk', { reason }, { cause })
    this.#deps.log.error({ err: cause, kind: work.kind }, 'work on files failed')
    return new Refusal('ErrUnknownError', {}, { cause })
  }
}

function toFileJob({ id, work, progress, state, refusal, startedAt, endedAt }: Job): FileJob {
  const { entries, totalEntries, bytes, totalBytes, skipped, skippedCount } = progress
  const paths = work.kind === 'extract' ? [work.path] : work.paths
  return {
    id,
    kind: work.kind,
    path: paths[0] ?? '',
    paths: paths.length,
    ...(work.kind !== 'delete' && { destination: work.destination }),
    state,
    entries,
    ...(totalEntries !== undefined && { totalEntries }),
    bytes,
    ...(totalBytes !== undefined && { totalBytes }),
    ...(skippedCount > 0 && { skipped: [...skipped], skippedCount }),
    ...(refusal && { error: envelopeOf(refusal).error }),
    startedAt: startedAt.toISOString(),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  }
}
