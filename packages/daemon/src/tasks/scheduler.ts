import type { Schedule } from '@innkeeper/contract/jobs/cron'

/** Interval of checks for changes of the system clock. */
export const clockCheckIntervalMs = 30_000
/** A run that is late by more than this was missed. */
const maxLatenessMs = 60_000
/** When the clock was set back by more than this it had been wrong before, and scheduled times run again. */
const maxClockStepBackMs = 24 * 60 * 60 * 1000

/** The wall clock and a timer. */
export interface Clock {
  /** Epoch milliseconds; may jump when the clock is set. */
  now(): number
  /** Calls `act` once after a monotonic delay. Returns the cancel function. */
  setTimer(act: () => void, inMs: number): () => void
}

export const systemClock: Clock = {
  now: Date.now,
  setTimer(act, inMs) {
    const timer = setTimeout(act, inMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A time that came due. */
export interface DueTask {
  /** All times up to here are done; pass it to `set` after a restart. */
  readonly dueUntil: number
  /** Whether it passed while the daemon was down, or was skipped by a change of the clock. */
  readonly wasMissed: boolean
}

interface Entry {
  readonly schedule: Schedule
  readonly due: (due: DueTask) => void
  dueUntil: number
  next: number | undefined
  /** Times that had passed when the entry was set are missed, however recent. */
  isLate: boolean
}

/**
 * Calls schedules when they are due, with one timer for all. After any sleep or clock change, an entry comes due once
 * for all missed times, and never twice for the same time.
 */
export class Scheduler {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  #cancelTimer: (() => void) | undefined
  #isClosed = false

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Adds or replaces an entry. Times up to `served` are done; pass the current time for a new entry. */
  set(key: string, { schedule, dueUntil, due }: Pick<Entry, 'schedule' | 'due'> & { readonly dueUntil: number }): void {
    const now = this.#clock.now()
    const entry: Entry = { schedule, due, dueUntil, next: undefined, isLate: false }
    this.#handleClockSetBack(entry, now)
    entry.next = timeAfter(schedule, entry.dueUntil)
    entry.isLate = entry.next !== undefined && entry.next <= now
    this.#entries.set(key, entry)
    this.#arm()
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.#arm()
  }

  getNext(key: string): Date | undefined {
    const next = this.#entries.get(key)?.next
    return next === undefined ? undefined : new Date(next)
  }

  close(): void {
    this.#isClosed = true
    this.#entries.clear()
    this.#arm()
  }

  /** Wakes up often enough to notice clock changes, even if nothing is due for days. */
  #arm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#isClosed || this.#entries.size === 0) return
    let first = Number.POSITIVE_INFINITY
    for (const { next } of this.#entries.values()) if (next !== undefined && next < first) first = next
    const inMs = Math.min(Math.max(0, first - this.#clock.now()), clockCheckIntervalMs)
    this.#cancelTimer = this.#clock.setTimer(() => this.#checkDue(), inMs)
  }

  #checkDue(): void {
    const now = this.#clock.now()
    const due: (() => void)[] = []
    for (const entry of this.#entries.values()) {
      this.#handleClockSetBack(entry, now)
      const { schedule, next, isLate } = entry
      if (next === undefined || next > now) continue
      const onTime = isLate ? undefined : timeAfter(schedule, Math.max(entry.dueUntil, now - maxLatenessMs))
      const wasMissed = onTime === undefined || onTime > now
      entry.dueUntil = now
      entry.next = timeAfter(schedule, now)
      entry.isLate = false
      due.push(() => entry.due({ dueUntil: now, wasMissed }))
    }
    this.#arm()
    for (const notify of due) notify()
  }

  #handleClockSetBack(entry: Entry, now: number): void {
    if (entry.dueUntil <= now + maxClockStepBackMs) return
    entry.dueUntil = now
    entry.next = timeAfter(entry.schedule, now)
  }
}

function timeAfter(schedule: Schedule, after: number): number | undefined {
  return schedule.after(new Date(after), 1)[0]?.getTime()
}
