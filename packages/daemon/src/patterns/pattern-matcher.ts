import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import type { Logger } from 'pino'
import { startWorker } from '../workers/start-worker.ts'
import type { PatternMatches, PatternRequest } from './pattern-worker.ts'

/** A pattern that is looked for in the output of a server. */
export interface WatchedPattern {
  /** RE2, as `compilePattern` takes it. */
  readonly pattern: string
  /** A line fits, which was printed at that moment (monotonic). Several at about the same time are told once. */
  readonly onMatch: (at: number) => void
  /** It took too long, and is not looked for any more. */
  readonly onDisabled: () => void
}

interface WatchedName {
  readonly patterns: Map<number, WatchedPattern>
  pending: Uint8Array[]
  pendingBytes: number
  /** When the first of it came. */
  pendingSince: number
  /** Whether output was left out before what is held. */
  hasGap: boolean
}

interface Deps {
  readonly log: Logger
  readonly patternMs?: number | undefined
  readonly slowWithinMs?: number
  readonly thread?: () => Worker
}

/**
 * Looks for patterns in what servers print, in a thread for all of them, which can be ended: a pattern is somebody's
 * text, and although none takes more than linear time, many of them over much output do take long. The console never
 * waits for it. What is printed faster than it is looked through is left out, and so is the pattern that was at work when
 * the thread had to be ended.
 */
export class PatternMatcher implements AsyncDisposable {
  readonly #log: Logger
  readonly #patternMs: number
  readonly #slowWithinMs: number
  /** When patterns of a name took too long; saving them anew forgets nothing. Monotonic. */
  readonly #slowAt = new Map<string, readonly number[]>()
  readonly #thread: () => Worker
  readonly #all = new Map<string, WatchedName>()
  readonly #currentPattern = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #isBusy = false
  #numbers = 0
  #isClosed = false
  /** Whether it was said that there is no thread. */
  #isFailureLogged = false

  constructor({ log, patternMs = limits.patternMs, slowWithinMs = limits.slowPatternsWithinMs, thread }: Deps) {
    this.#log = log
    this.#patternMs = patternMs
    this.#slowWithinMs = slowWithinMs
    this.#thread = thread ?? (() => startThread(this.#currentPattern.buffer))
  }

  /**
   * Looks for these in the output that comes by this name, instead of what was looked for before. A server has one name
   * for each purpose: what is too slow for one does not end another.
   */
  watch(name: string, wanted: readonly WatchedPattern[]): void {
    if (this.#isClosed) return
    const known = this.#all.get(name)
    if (wanted.length === 0 && !known) return
    if (wanted.length > 0 && this.#hasManySlow(name)) {
      // Whoever asks may not be ready to hear it yet.
      for (const { onDisabled } of wanted) queueMicrotask(onDisabled)
      this.watch(name, [])
      return
    }
    const patterns = new Map(wanted.map((one) => [++this.#numbers, one]))
    if (wanted.length === 0) this.#all.delete(name)
    else if (known) this.#all.set(name, { ...known, patterns })
    else this.#all.set(name, { patterns, pending: [], pendingBytes: 0, pendingSince: 0, hasGap: false })
    if (this.#worker) this.#tell(name)
    if (this.#all.size === 0) this.#end()
  }

  /** Takes output, which is lent. */
  push(name: string, data: Uint8Array): void {
    const one = this.#all.get(name)
    if (!one || data.length === 0) return
    if (one.pendingBytes + data.length > limits.patternQueueBytes) {
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
    this.#all.clear()
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Hands over what there is. A machine without room for a thread has it again later: what came meanwhile is left out. */
  async #process(): Promise<void> {
    this.#isBusy = true
    try {
      await this.#drain()
      this.#isFailureLogged = false
    } catch (error) {
      if (!this.#isFailureLogged)
        this.#log.error({ err: error }, 'what servers print cannot be looked through for patterns')
      this.#isFailureLogged = true
      for (const one of this.#all.values()) Object.assign(one, { pending: [], pendingBytes: 0, hasGap: true })
    } finally {
      this.#isBusy = false
    }
    // What was looked for may have been found.
    if (this.#all.size === 0) this.#end()
  }

  /** One piece after the other, each name in its turn, until nothing is left. */
  async #drain(): Promise<void> {
    // What comes at the same moment is one piece.
    await new Promise<void>((resolve) => void setImmediate(resolve))
    while (!this.#isClosed && [...this.#all.values()].some(({ pendingBytes }) => pendingBytes > 0)) {
      for (const [name, one] of [...this.#all]) {
        if (one.pendingBytes === 0 || this.#all.get(name) !== one) continue
        const { hasGap, pendingSince } = one
        one.hasGap = false
        const matches = await this.#match(name, this.#takePending(one), hasGap)
        for (const number of matches) this.#all.get(name)?.patterns.get(number)?.onMatch(pendingSince)
      }
    }
  }

  #takePending(one: WatchedName): Uint8Array {
    const whole = Buffer.concat(one.pending)
    const rest = whole.subarray(limits.patternBytes)
    one.pending = rest.length > 0 ? [rest] : []
    one.pendingBytes = rest.length
    return whole.subarray(0, limits.patternBytes)
  }

  async #match(name: string, data: Uint8Array, isAfterGap: boolean): Promise<readonly number[]> {
    const worker = await this.#startedWorker()
    const { promise, resolve, reject } = Promise.withResolvers<PatternMatches>()
    let looks = 0
    // A thread that is at no pattern yet waits for a processor: that is no pattern's fault.
    const watchdog = setInterval(() => {
      if (Atomics.load(this.#currentPattern, 0) !== 0 || ++looks >= limits.patternStartTimeouts)
        reject(new Error('looking for a pattern took too long'))
    }, this.#patternMs)
    worker.once('message', resolve)
    worker.once('error', reject)
    try {
      worker.postMessage({ kind: 'output', name, data, isAfterGap } satisfies PatternRequest)
      return (await promise).matches
    } catch (error) {
      if (!this.#isClosed) this.#disableCulprit(error)
      await worker.terminate()
      if (this.#worker === worker) this.#worker = undefined
      return []
    } finally {
      clearInterval(watchdog)
      worker.removeListener('message', resolve)
      worker.removeListener('error', reject)
    }
  }

  /** The pattern that was at work is not looked for again; after a few none by its name is: all others wait for them. */
  #disableCulprit(error: unknown): void {
    const number = Atomics.exchange(this.#currentPattern, 0, 0)
    for (const [name, one] of this.#all) {
      if (!one.patterns.has(number)) continue
      this.#slowAt.set(name, [...this.#recentlySlow(name), performance.now()])
      const areAllOff = this.#hasManySlow(name)
      const culprits = areAllOff ? [...one.patterns] : [...one.patterns].filter(([known]) => known === number)
      for (const [known, { pattern, onDisabled }] of culprits) {
        one.patterns.delete(known)
        this.#log.warn({ err: error, watch: name, pattern }, 'a pattern is switched off')
        onDisabled()
      }
    }
  }

  #hasManySlow(name: string): boolean {
    return this.#recentlySlow(name).length >= limits.slowPatterns
  }

  /** The times within the last hour; what is older is forgotten. */
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
    // Whoever waits for an answer hears of it; one that dies in between is started again.
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    this.#worker = worker
    for (const name of this.#all.keys()) this.#tell(name)
    // Its start is not counted as its work.
    await once(worker, 'online')
    return worker
  }

  #tell(name: string): void {
    const patterns = [...(this.#all.get(name)?.patterns ?? [])].map(([number, { pattern }]) => ({ number, pattern }))
    this.#worker?.postMessage({ kind: 'watch', name, patterns } satisfies PatternRequest)
  }

  #end(): void {
    const worker = this.#worker
    if (!worker || this.#isBusy) return
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
