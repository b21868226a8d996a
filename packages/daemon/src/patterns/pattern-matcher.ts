import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { startWorker } from '../workers/start-worker.ts'
import type { PatternMatches, PatternRequest } from './pattern-worker.ts'

/** Output of a server that is matched in one batch. */
const batchBytes = 65_536
const batchTimeoutMs = 2_000
/** Multiple of that timeout until a busy machine must have started the match. */
const maxStartTimeouts = 15
export const maxQueueBytes = 1_048_576
/** After this many patterns of a server timed out within the window, all of its patterns are disabled. */
export const maxSlowPatterns = 3
const slowPatternWindowMs = 60 * 60 * 1000
/** The thread ends when there was no pattern for this long: checks of servers need it for a moment again and again. */
const idleMs = 2 * 60 * 1000

/** A pattern to match in the output of a server. */
export interface WatchedPattern {
  /** RE2 syntax, see `compilePattern`. */
  readonly pattern: string
  /** A line printed at that (monotonic) time matched. Matches at about the same time are combined. */
  readonly onMatch?: (at: number) => void
  /**
   * Called for each line that matches, with the named groups that took part in the match. Of several patterns with it,
   * only the first that matches a line gets the line.
   */
  readonly onLine?: (groups: Readonly<Record<string, string>>) => void
  /** It took too long and is disabled. */
  readonly onDisabled: () => void
}

interface WatchedName {
  readonly patterns: Map<number, WatchedPattern>
  pending: Uint8Array[]
  pendingBytes: number
  /** When the first of it arrived. */
  pendingSince: number
  /** Whether output before `pending` was dropped. */
  hasGap: boolean
}

interface Deps {
  readonly log: Logger
  readonly patternMs?: number | undefined
  readonly slowWithinMs?: number
  readonly idleMs?: number
  readonly thread?: () => Worker
}

/**
 * Matches patterns in the output of servers in one worker thread, which can be terminated: patterns come from users,
 * and although matching is linear, many patterns on much output take long. The console never waits for it. Output that
 * is faster than matching is dropped, and the pattern that runs when the worker must be terminated is disabled.
 */
export class PatternMatcher implements AsyncDisposable {
  readonly #log: Logger
  readonly #patternMs: number
  readonly #slowWithinMs: number
  readonly #idleMs: number
  /** When patterns of a name were too slow; survives saving them again. Monotonic. */
  readonly #slowAt = new Map<string, readonly number[]>()
  readonly #thread: () => Worker
  readonly #all = new Map<string, WatchedName>()
  readonly #currentPattern = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #isBusy = false
  #idleTimer: NodeJS.Timeout | undefined
  #numbers = 0
  #isClosed = false
  /** Whether the failure to start a worker was logged. */
  #isFailureLogged = false

  constructor(deps: Deps) {
    const { log, patternMs = batchTimeoutMs, slowWithinMs = slowPatternWindowMs, thread } = deps
    this.#log = log
    this.#patternMs = patternMs
    this.#slowWithinMs = slowWithinMs
    this.#idleMs = deps.idleMs ?? idleMs
    this.#thread = thread ?? (() => startThread(this.#currentPattern.buffer))
  }

  /**
   * Replaces the patterns for a name. A server has a name per purpose, so that a slow pattern for one does not disable
   * another.
   */
  watch(name: string, watched: readonly WatchedPattern[]): void {
    if (this.#isClosed) return
    const known = this.#all.get(name)
    if (watched.length === 0 && !known) return
    if (watched.length > 0 && this.#hasManySlow(name)) {
      // Deferred: the caller may not be ready for callbacks.
      for (const { onDisabled } of watched) queueMicrotask(onDisabled)
      this.watch(name, [])
      return
    }
    const patterns = new Map(watched.map((one) => [++this.#numbers, one]))
    if (watched.length === 0) this.#all.delete(name)
    else if (known) this.#all.set(name, { ...known, patterns })
    else this.#all.set(name, { patterns, pending: [], pendingBytes: 0, pendingSince: 0, hasGap: false })
    if (this.#worker) this.#sendPatterns(name)
    if (this.#all.size === 0) this.#endWhenIdle()
  }

  /** Adds output. The bytes are valid only during the call. */
  push(name: string, data: Uint8Array): void {
    const one = this.#all.get(name)
    if (!one || data.length === 0) return
    if (one.pendingBytes + data.length > maxQueueBytes) {
      one.pending = []
      one.pendingBytes = 0
      one.hasGap = true
      return
    }
    if (one.pendingBytes === 0) one.pendingSince = performance.now()
    one.pending.push(new Uint8Array(data))
    one.pendingBytes += data.length
    if (!this.#isBusy) void this.#process()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idleTimer)
    this.#all.clear()
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Processes pending output. If no worker can be started, output is dropped until one can. */
  async #process(): Promise<void> {
    this.#isBusy = true
    try {
      await this.#drain()
      this.#isFailureLogged = false
    } catch (error) {
      if (!this.#isFailureLogged) this.#log.error({ err: error }, 'failed to match patterns in the output of servers')
      this.#isFailureLogged = true
      for (const one of this.#all.values()) Object.assign(one, { pending: [], pendingBytes: 0, hasGap: true })
    } finally {
      this.#isBusy = false
    }
    // The pattern may have been found meanwhile.
    if (this.#all.size === 0) this.#endWhenIdle()
  }

  /** Sends one piece at a time, round-robin over names, until nothing is left. */
  async #drain(): Promise<void> {
    // Concurrent pieces are merged.
    await new Promise<void>((resolve) => void setImmediate(resolve))
    while (!this.#isClosed && [...this.#all.values()].some(({ pendingBytes }) => pendingBytes > 0)) {
      for (const [name, one] of [...this.#all]) {
        if (one.pendingBytes === 0 || this.#all.get(name) !== one) continue
        const { hasGap, pendingSince } = one
        one.hasGap = false
        const { matches, lines } = await this.#match(name, this.#takePending(one), hasGap)
        for (const number of matches) this.#all.get(name)?.patterns.get(number)?.onMatch?.(pendingSince)
        for (const { number, groups } of lines) this.#all.get(name)?.patterns.get(number)?.onLine?.(groups)
      }
    }
  }

  #takePending(one: WatchedName): Uint8Array {
    const whole = Buffer.concat(one.pending)
    const rest = whole.subarray(batchBytes)
    one.pending = rest.length > 0 ? [rest] : []
    one.pendingBytes = rest.length
    return whole.subarray(0, batchBytes)
  }

  async #match(name: string, data: Uint8Array, isAfterGap: boolean): Promise<PatternMatches> {
    const worker = await this.#startedWorker()
    const { promise, resolve, reject } = Promise.withResolvers<PatternMatches>()
    let snapshots = 0
    // A worker that has not reached a pattern is waiting for a CPU: not the pattern's fault.
    const watchdog = setInterval(() => {
      if (Atomics.load(this.#currentPattern, 0) !== 0 || ++snapshots >= maxStartTimeouts)
        reject(new Error('matching a pattern took too long'))
    }, this.#patternMs)
    worker.once('message', resolve)
    worker.once('error', reject)
    try {
      worker.postMessage({ type: 'output', name, data, isAfterGap } satisfies PatternRequest)
      return await promise
    } catch (error) {
      if (!this.#isClosed) this.#disableCulprit(error)
      await worker.terminate()
      if (this.#worker === worker) this.#worker = undefined
      return { matches: [], lines: [] }
    } finally {
      clearInterval(watchdog)
      worker.removeListener('message', resolve)
      worker.removeListener('error', reject)
    }
  }

  /** Disables the current pattern; after several, all of its name, because all others wait for them. */
  #disableCulprit(error: unknown): void {
    const number = Atomics.exchange(this.#currentPattern, 0, 0)
    for (const [name, one] of this.#all) {
      if (!one.patterns.has(number)) continue
      this.#slowAt.set(name, [...this.#recentlySlow(name), performance.now()])
      const areAllOff = this.#hasManySlow(name)
      const culprits = areAllOff ? [...one.patterns] : [...one.patterns].filter(([known]) => known === number)
      for (const [known, { pattern, onDisabled }] of culprits) {
        one.patterns.delete(known)
        this.#log.warn({ err: error, watch: name, pattern }, 'a pattern was disabled')
        onDisabled()
      }
    }
  }

  #hasManySlow(name: string): boolean {
    return this.#recentlySlow(name).length >= maxSlowPatterns
  }

  /** The times within the last hour; older ones are dropped. */
  #recentlySlow(name: string): readonly number[] {
    const since = performance.now() - this.#slowWithinMs
    const recent = (this.#slowAt.get(name) ?? []).filter((at) => at > since)
    if (recent.length === 0) this.#slowAt.delete(name)
    else this.#slowAt.set(name, recent)
    return recent
  }

  async #startedWorker(): Promise<Worker> {
    if (this.#worker) return this.#worker
    const worker = this.#thread()
    worker.unref()
    // A caller that waits gets the error; a worker that dies while idle is restarted.
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    this.#worker = worker
    for (const name of this.#all.keys()) this.#sendPatterns(name)
    // Its start does not count as matching time.
    await once(worker, 'online')
    return worker
  }

  #sendPatterns(name: string): void {
    const patterns = [...(this.#all.get(name)?.patterns ?? [])].map(([number, { pattern, onLine }]) => ({
      number,
      pattern,
      hasLines: onLine !== undefined,
    }))
    this.#worker?.postMessage({ type: 'watch', name, patterns } satisfies PatternRequest)
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#end(), this.#idleMs).unref()
  }

  #end(): void {
    const worker = this.#worker
    if (!worker || this.#isBusy || this.#all.size > 0) return
    this.#worker = undefined
    void worker.terminate()
  }
}

function startThread(currentPattern: ArrayBufferLike): Worker {
  return startWorker(new URL('./pattern-worker.ts', import.meta.url), {
    data: currentPattern,
    heap: { maxOldGenerationSizeMb: 256 },
  })
}
