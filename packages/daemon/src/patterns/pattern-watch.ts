import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import type { Logger } from 'pino'
import { startWorker } from '../workers/start-worker.ts'
import type { Found, Told } from './pattern-worker.ts'

/** A pattern that is looked for in the output of a server. */
export interface Watched {
  /** RE2, as `compilePattern` takes it. */
  readonly pattern: string
  /** A line fits, which was printed at that moment (monotonic). Several at about the same time are told once. */
  readonly onFit: (at: number) => void
  /** It took too long, and is not looked for any more. */
  readonly onOff: () => void
}

interface Watching {
  readonly patterns: Map<number, Watched>
  held: Uint8Array[]
  heldBytes: number
  /** When the first of it came. */
  heldSince: number
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
export class PatternWatch implements AsyncDisposable {
  readonly #log: Logger
  readonly #patternMs: number
  readonly #slowWithinMs: number
  /** When patterns of a name took too long; saving them anew forgets nothing. Monotonic. */
  readonly #slowAt = new Map<string, readonly number[]>()
  readonly #thread: () => Worker
  readonly #all = new Map<string, Watching>()
  readonly #atWork = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #isBusy = false
  #numbers = 0
  #isClosed = false
  /** Whether it was said that there is no thread. */
  #isTold = false

  constructor({ log, patternMs = limits.patternMs, slowWithinMs = limits.slowPatternsWithinMs, thread }: Deps) {
    this.#log = log
    this.#patternMs = patternMs
    this.#slowWithinMs = slowWithinMs
    this.#thread = thread ?? (() => startThread(this.#atWork.buffer))
  }

  /**
   * Looks for these in the output that comes by this name, instead of what was looked for before. A server has one name
   * for each purpose: what is too slow for one does not end another.
   */
  watch(name: string, wanted: readonly Watched[]): void {
    if (this.#isClosed) return
    const known = this.#all.get(name)
    if (wanted.length === 0 && !known) return
    if (wanted.length > 0 && this.#hasManySlow(name)) {
      // Whoever asks may not be ready to hear it yet.
      for (const { onOff } of wanted) queueMicrotask(onOff)
      this.watch(name, [])
      return
    }
    const patterns = new Map(wanted.map((one) => [++this.#numbers, one]))
    if (wanted.length === 0) this.#all.delete(name)
    else if (known) this.#all.set(name, { ...known, patterns })
    else this.#all.set(name, { patterns, held: [], heldBytes: 0, heldSince: 0, hasGap: false })
    if (this.#worker) this.#tell(name)
    if (this.#all.size === 0) this.#end()
  }

  /** Takes output, which is lent. */
  take(name: string, data: Uint8Array): void {
    const one = this.#all.get(name)
    if (!one || data.length === 0) return
    if (one.heldBytes + data.length > limits.patternQueueBytes) {
      one.held = []
      one.heldBytes = 0
      one.hasGap = true
      return
    }
    if (one.heldBytes === 0) one.heldSince = performance.now()
    one.held.push(new Uint8Array(data))
    one.heldBytes += data.length
    if (!this.#isBusy) void this.#look()
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
  async #look(): Promise<void> {
    this.#isBusy = true
    try {
      await this.#handOver()
      this.#isTold = false
    } catch (error) {
      if (!this.#isTold) this.#log.error({ err: error }, 'what servers print cannot be looked through for patterns')
      this.#isTold = true
      for (const one of this.#all.values()) Object.assign(one, { held: [], heldBytes: 0, hasGap: true })
    } finally {
      this.#isBusy = false
    }
    // What was looked for may have been found.
    if (this.#all.size === 0) this.#end()
  }

  /** One piece after the other, each name in its turn, until nothing is left. */
  async #handOver(): Promise<void> {
    // What comes at the same moment is one piece.
    await new Promise<void>((resolve) => void setImmediate(resolve))
    while (!this.#isClosed && [...this.#all.values()].some(({ heldBytes }) => heldBytes > 0)) {
      for (const [name, one] of [...this.#all]) {
        if (one.heldBytes === 0 || this.#all.get(name) !== one) continue
        const { hasGap, heldSince } = one
        one.hasGap = false
        const fitting = await this.#lookThrough(name, this.#takePiece(one), hasGap)
        for (const number of fitting) this.#all.get(name)?.patterns.get(number)?.onFit(heldSince)
      }
    }
  }

  #takePiece(one: Watching): Uint8Array {
    const whole = Buffer.concat(one.held)
    const rest = whole.subarray(limits.patternBytes)
    one.held = rest.length > 0 ? [rest] : []
    one.heldBytes = rest.length
    return whole.subarray(0, limits.patternBytes)
  }

  async #lookThrough(name: string, data: Uint8Array, isAfterGap: boolean): Promise<readonly number[]> {
    const worker = await this.#started()
    const { promise, resolve, reject } = Promise.withResolvers<Found>()
    let looks = 0
    // A thread that is at no pattern yet waits for a processor: that is no pattern's fault.
    const late = setInterval(() => {
      if (Atomics.load(this.#atWork, 0) !== 0 || ++looks >= limits.patternStartTimeouts)
        reject(new Error('looking for a pattern took too long'))
    }, this.#patternMs)
    worker.once('message', resolve)
    worker.once('error', reject)
    try {
      worker.postMessage({ kind: 'output', name, data, isAfterGap } satisfies Told)
      return (await promise).fitting
    } catch (error) {
      if (!this.#isClosed) this.#blame(error)
      await worker.terminate()
      if (this.#worker === worker) this.#worker = undefined
      return []
    } finally {
      clearInterval(late)
      worker.removeListener('message', resolve)
      worker.removeListener('error', reject)
    }
  }

  /** The pattern that was at work is not looked for again; after a few none by its name is: all others wait for them. */
  #blame(error: unknown): void {
    const number = Atomics.exchange(this.#atWork, 0, 0)
    for (const [name, one] of this.#all) {
      if (!one.patterns.has(number)) continue
      this.#slowAt.set(name, [...this.#lately(name), performance.now()])
      const areAllOff = this.#hasManySlow(name)
      const culprits = areAllOff ? [...one.patterns] : [...one.patterns].filter(([known]) => known === number)
      for (const [known, { pattern, onOff }] of culprits) {
        one.patterns.delete(known)
        this.#log.warn({ err: error, watch: name, pattern }, 'a pattern is switched off')
        onOff()
      }
    }
  }

  #hasManySlow(name: string): boolean {
    return this.#lately(name).length >= limits.slowPatterns
  }

  /** The times within the last hour; what is older is forgotten. */
  #lately(name: string): readonly number[] {
    const since = performance.now() - this.#slowWithinMs
    const lately = (this.#slowAt.get(name) ?? []).filter((at) => at > since)
    if (lately.length === 0) this.#slowAt.delete(name)
    else this.#slowAt.set(name, lately)
    return lately
  }

  async #started(): Promise<Worker> {
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
    this.#worker?.postMessage({ kind: 'watch', name, patterns } satisfies Told)
  }

  #end(): void {
    const worker = this.#worker
    if (!worker || this.#isBusy) return
    this.#worker = undefined
    void worker.terminate()
  }
}

function startThread(atWork: ArrayBufferLike): Worker {
  return startWorker(new URL('./pattern-worker.ts', import.meta.url), {
    data: atWork,
    heap: { maxOldGenerationSizeMb: 256 },
  })
}
