import type { Logger } from 'pino'
import type { ActivityLog, AuditEvent } from './activity.ts'

interface Options {
  readonly activity: Pick<ActivityLog, 'record' | 'setCount'>
  readonly log: Logger
  readonly now: () => number
  readonly windowMs?: number
}

/** Number of entries within a window, and the key they are counted by. */
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

/** The combined entry of all events of a kind over the limit. */
interface Summary {
  count: number
  readonly id: Promise<string | undefined>
}

/** Maximum number of counters; the oldest ones are written and dropped. */
const maxWindows = 1_000

/**
 * Writes audit log entries with a rate limit. Events over the limit are combined: one entry per window and kind of
 * action, written with the first event and updated with their number at the end of the window.
 */
export class AuditRateLimit {
  readonly #options: Required<Options>
  readonly #windows = new Map<string, Window>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: Options) {
    this.#options = { windowMs: 60_000, ...options }
  }

  /**
   * Writes an entry, or counts the event when the limit is reached. `describe` is called only for a separate entry.
   */
  async write(event: AuditEvent, { key, max }: RateLimit, describe?: () => Promise<string | undefined>): Promise<void> {
    const window = this.#getWindow(key)
    if (++window.count <= max) {
      await this.#record(describe ? { ...event, target: (await describe()) ?? event.target } : event)
      return
    }
    // A rejected request may name a server that does not exist: such names must not multiply the entries.
    const server = event.result === 'done' ? event.server : undefined
    const kind = JSON.stringify([event.action, event.result, event.code, server])
    const summary = window.summaries.get(kind)
    if (summary) {
      summary.count++
      return
    }
    const id = this.#record({ ...event, server, target: undefined, count: 1 })
    window.summaries.set(kind, { count: 1, id })
    window.timer ??= setTimeout(() => this.#end(key, window), this.#options.windowMs).unref()
    await id
  }

  /** Updates the numbers of the combined entries. */
  async close(): Promise<void> {
    for (const [key, window] of this.#windows) this.#end(key, window)
    await Promise.all(this.#closing)
  }

  #getWindow(key: string): Window {
    const at = this.#options.now()
    const current = this.#windows.get(key)
    if (current && at - current.since <= this.#options.windowMs && at >= current.since) return current
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
    const entryId = await id
    if (entryId === undefined || count === 1) return
    await this.#options.activity.setCount(entryId, count).catch((error: unknown) => {
      this.#options.log.error(
        { err: error, entry: entryId, count },
        'the count of an audit log entry could not be updated',
      )
    })
  }

  /** The action itself has succeeded: a failure to record it is logged. */
  async #record(event: AuditEvent): Promise<string | undefined> {
    try {
      return await this.#options.activity.record(event)
    } catch (error) {
      this.#options.log.error({ err: error, ...event }, 'an audit log entry could not be written')
      return undefined
    }
  }
}
