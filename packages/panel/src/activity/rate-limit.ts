import type { Logger } from 'pino'
import type { ActivityLog, AuditEvent } from './activity.ts'

interface Options {
  readonly activity: Pick<ActivityLog, 'record' | 'setCount'>
  readonly log: Logger
  readonly now: () => number
  readonly windowMs?: number
}

/** How many entries may be written within a window, and what is counted together. */
export interface RateLimit {
  readonly key: string
  readonly max: number
}

interface Window {
  readonly since: number
  count: number
  readonly summaries: Map<string, Summary>
  timer?: NodeJS.Timeout
}

/** One entry for everything of a kind that is over the limit. */
interface Summary {
  count: number
  readonly id: Promise<string | undefined>
}

/** Counters that are kept at a time; older ones are written down and dropped. */
const maxWindows = 1_000

/**
 * Writes entries of activity. What is over the limit is summed up: one entry per window and kind of action, which is
 * written with the first of them and gets their number at the end of the window.
 */
export class AuditRateLimit {
  readonly #activity: Options['activity']
  readonly #log: Logger
  readonly #now: () => number
  readonly #windowMs: number
  readonly #windows = new Map<string, Window>()
  readonly #closing = new Set<Promise<void>>()

  constructor({ activity, log, now, windowMs = 60_000 }: Options) {
    this.#activity = activity
    this.#log = log
    this.#now = now
    this.#windowMs = windowMs
  }

  /** Writes the entry, or counts it when there are too many. `describe` is called for an entry of its own only. */
  async write(event: AuditEvent, { key, max }: RateLimit, describe?: () => Promise<string | undefined>): Promise<void> {
    const window = this.#windowOf(key)
    if (++window.count <= max) {
      await this.#record(describe ? { ...event, target: (await describe()) ?? event.target } : event)
      return
    }
    // A refused action may name a server that does not exist: such names do not multiply the entries.
    const server = event.result === 'done' ? event.server : undefined
    const kind = JSON.stringify([event.action, event.result, event.code, server])
    const summary = window.summaries.get(kind)
    if (summary) {
      summary.count++
      return
    }
    const id = this.#record({ ...event, server, target: undefined, count: 1 })
    window.summaries.set(kind, { count: 1, id })
    window.timer ??= setTimeout(() => this.#end(key, window), this.#windowMs).unref()
    await id
  }

  /** Writes down how many were summed up so far. */
  async close(): Promise<void> {
    for (const [key, window] of this.#windows) this.#end(key, window)
    await Promise.all(this.#closing)
  }

  #windowOf(key: string): Window {
    const at = this.#now()
    const current = this.#windows.get(key)
    if (current && at - current.since <= this.#windowMs && at >= current.since) return current
    if (current) this.#end(key, current)
    const window: Window = { since: at, count: 0, summaries: new Map() }
    this.#windows.set(key, window)
    const [oldest] = this.#windows
    if (oldest && this.#windows.size > maxWindows) this.#end(...oldest)
    return window
  }

  #end(key: string, window: Window): void {
    clearTimeout(window.timer)
    if (this.#windows.get(key) === window) this.#windows.delete(key)
    const counting = Promise.all([...window.summaries.values()].map((summary) => this.#recount(summary)))
    const closing: Promise<void> = counting.then(() => void this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  async #recount({ count, id }: Summary): Promise<void> {
    const written = await id
    if (written === undefined || count === 1) return
    await this.#activity.setCount(written, count).catch((error: unknown) => {
      this.#log.error({ err: error, entry: written, count }, 'the number of an activity entry could not be written')
    })
  }

  /** What was done is done: that it could not be written down goes to the log. */
  async #record(act: AuditEvent): Promise<string | undefined> {
    try {
      return await this.#activity.record(act)
    } catch (error) {
      this.#log.error({ err: error, ...act }, 'activity could not be written down')
      return undefined
    }
  }
}
