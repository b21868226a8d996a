import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'

/** Why a panel ends its work on a job that is not over: another panel continues it. */
export class JobReleased extends Error {}

interface Options<Job> {
  /** Leases the jobs whose panel is gone. */
  readonly acquireStale: () => Promise<readonly Job[]>
  /** Works until the job ends, or is aborted with `JobReleased`. Never rejects. */
  readonly run: (job: Job, abort: AbortController) => Promise<void>
  /** Interval of looks for jobs whose panel is gone. */
  readonly takeoverMs: number
  readonly onError: (error: unknown) => void
}

/**
 * Long jobs in a table, each made by one panel, which renews its lease. When that panel ends, another one, or the same after
 * its restart, continues from what is in the row.
 */
export class LeasedJobs<Job extends { readonly lease: string }> {
  readonly #options: Options<Job>
  /** By lease. */
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>()
  readonly #takeover: PeriodicJob
  #isClosed = false

  constructor(options: Options<Job>) {
    this.#options = options
    const { takeoverMs: everyMs, onError } = options
    this.#takeover = new PeriodicJob({ everyMs, run: () => this.#continueStale(), onError }).start()
    void this.#takeover.run()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Begins the work on a job that this panel has leased. */
  start(job: Job): void {
    const abort = new AbortController()
    if (this.#isClosed) abort.abort(new JobReleased())
    const ended = this.#options.run(job, abort).finally(() => this.#running.delete(job.lease))
    this.#running.set(job.lease, { abort, ended })
  }

  /** Leaves the jobs of this panel to the next one. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#takeover.close()
    const running = [...this.#running.values()]
    for (const { abort } of running) abort.abort(new JobReleased())
    await Promise.all(running.map(({ ended }) => ended))
  }

  async #continueStale(): Promise<void> {
    for (const job of await this.#options.acquireStale()) this.start(job)
  }
}
