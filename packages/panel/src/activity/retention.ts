import type { Logger } from 'pino'
import type { ActivityLog } from './activity.ts'

const purgeIntervalMs = 60 * 60 * 1000

interface Deps {
  readonly activity: Pick<ActivityLog, 'purge'>
  readonly log: Logger
}

/** Deletes old audit log entries periodically. Several panels may do this at the same time. */
export class ActivityRetention {
  readonly #deps: Deps
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timer = setInterval(() => this.#begin(), purgeIntervalMs)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  #begin(): void {
    this.#running ??= this.#purge().finally(() => {
      this.#running = undefined
    })
  }

  async #purge(): Promise<void> {
    const { activity, log } = this.#deps
    try {
      const purged = await activity.purge()
      if (purged > 0) log.info({ purged }, 'old audit log entries were deleted')
    } catch (error) {
      log.warn({ err: error }, 'old audit log entries could not be deleted; retrying later')
    }
  }
}
