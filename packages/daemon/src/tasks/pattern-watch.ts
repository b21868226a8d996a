import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import type { Logger } from 'pino'
import type { Pattern } from './pattern.ts'
import type { Found, Told } from './pattern-worker.ts'

/** A pattern that is looked for in the output of a server. */
export interface Watched extends Pattern {
  /** A line fits, which was printed at that moment (monotonic). Several at about the same time are told once. */
  readonly onFit: (at: number) => void
  /** It took too long, and is not looked for any more. */
  readonly onOff: () => void
}

interface OnServer {
  readonly patterns: Map<number, Watched>
  held: Uint8Array[]
  heldBytes: number
  /** When the first of it came. */
  heldSince: number
  /** Whether output was left out before what is held. */
  hasGap: boolean
}

interface Needs {
  readonly log: Logger
  readonly patternMs?: number
}

/**
 * Looks for patterns in what servers print, in a thread for all of them, which can be ended: a pattern is somebody's
 * text, and the runtime's engine takes forever for some. The console never waits for it. What is printed faster than it
 * is looked through is left out, and so is the pattern that was at work when the thread had to be ended.
 */
export class PatternWatch {
  readonly #log: Logger
  readonly #patternMs: number
  readonly #servers = new Map<string, OnServer>()
  readonly #atWork = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #isBusy = false
  #numbers = 0
  #isClosed = false

  constructor({ log, patternMs = limits.taskPatternMs }: Needs) {
    this.#log = log
    this.#patternMs = patternMs
  }

  /** Watches for these on a server, instead of what was watched for before. */
  watch(server: string, wanted: readonly Watched[]): void {
    if (this.#isClosed) return
    const known = this.#servers.get(server)
    if (wanted.length === 0 && !known) return
    const patterns = new Map(wanted.map((one) => [++this.#numbers, one]))
    if (wanted.length === 0) this.#servers.delete(server)
    else if (known) this.#servers.set(server, { ...known, patterns })
    else this.#servers.set(server, { patterns, held: [], heldBytes: 0, heldSince: 0, hasGap: false })
    if (this.#worker) this.#tell(server)
    if (this.#servers.size === 0) this.#end()
  }

  /** Takes output of a server, which is lent. */
  take(server: string, data: Uint8Array): void {
    const one = this.#servers.get(server)
    if (!one || data.length === 0) return
    if (one.heldBytes + data.length > limits.taskPatternAheadBytes) {
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
    this.#servers.clear()
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  /** Hands over one piece after the other, each server in its turn, until nothing is left. */
  async #look(): Promise<void> {
    this.#isBusy = true
    // What comes at the same moment is one piece.
    await new Promise<void>((resolve) => void setImmediate(resolve))
    while (!this.#isClosed && [...this.#servers.values()].some(({ heldBytes }) => heldBytes > 0)) {
      for (const [server, one] of [...this.#servers]) {
        if (one.heldBytes === 0 || this.#servers.get(server) !== one) continue
        const { hasGap, heldSince } = one
        one.hasGap = false
        const fitting = await this.#lookThrough(server, this.#takePiece(one), hasGap)
        for (const number of fitting) this.#servers.get(server)?.patterns.get(number)?.onFit(heldSince)
      }
    }
    this.#isBusy = false
  }

  #takePiece(one: OnServer): Uint8Array {
    const whole = Buffer.concat(one.held)
    const rest = whole.subarray(limits.taskPatternBytes)
    one.held = rest.length > 0 ? [rest] : []
    one.heldBytes = rest.length
    return whole.subarray(0, limits.taskPatternBytes)
  }

  async #lookThrough(server: string, data: Uint8Array, isAfterGap: boolean): Promise<readonly number[]> {
    const worker = await this.#started()
    const { promise, resolve, reject } = Promise.withResolvers<Found>()
    const late = setTimeout(() => reject(new Error('looking for a pattern took too long')), this.#patternMs)
    worker.once('message', resolve)
    worker.once('error', reject)
    try {
      worker.postMessage({ kind: 'output', server, data, isAfterGap } satisfies Told)
      return (await promise).fitting
    } catch (error) {
      if (!this.#isClosed) this.#blame(error)
      await worker.terminate()
      if (this.#worker === worker) this.#worker = undefined
      return []
    } finally {
      clearTimeout(late)
      worker.removeListener('message', resolve)
      worker.removeListener('error', reject)
    }
  }

  /** The pattern that was at work is not looked for again. */
  #blame(error: unknown): void {
    const number = Atomics.exchange(this.#atWork, 0, 0)
    for (const [server, { patterns }] of this.#servers) {
      const culprit = patterns.get(number)
      if (!culprit) continue
      patterns.delete(number)
      this.#log.warn({ err: error, server, pattern: culprit.source }, 'a pattern of a task is switched off')
      culprit.onOff()
    }
  }

  async #started(): Promise<Worker> {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./pattern-worker.ts', import.meta.url), {
      workerData: this.#atWork.buffer,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    worker.unref()
    // Whoever waits for an answer hears of it; one that dies in between is started again.
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    this.#worker = worker
    for (const server of this.#servers.keys()) this.#tell(server)
    // Its start is not counted as its work.
    await once(worker, 'online')
    return worker
  }

  #tell(server: string): void {
    const patterns = [...(this.#servers.get(server)?.patterns ?? [])].map(([number, { source, flags }]) => ({
      number,
      source,
      flags,
    }))
    this.#worker?.postMessage({ kind: 'watch', server, patterns } satisfies Told)
  }

  #end(): void {
    const worker = this.#worker
    if (!worker || this.#isBusy) return
    this.#worker = undefined
    void worker.terminate()
  }
}
