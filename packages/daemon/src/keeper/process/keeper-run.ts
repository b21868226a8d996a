import type { BufferPool } from '../../memory/buffer-pool.ts'
import type { ProcessId } from '../../proc/process-stat.ts'
import { type Exit, keeperLimits, type RunReport } from '../protocol.ts'
import type { ChildProcessHandle } from './child-process-handle.ts'
import { OutputBuffer } from './output-buffer.ts'

/** A run in the keeper: its output until it is acknowledged, and its exit until it is released. */
export class KeeperRun {
  readonly id: string
  readonly key: string
  readonly isTerminal: boolean
  readonly output: OutputBuffer
  #process: ChildProcessHandle | undefined
  #processId: ProcessId | undefined
  #exit: Exit | undefined
  /** A daemon reads this run, so pausing it can avoid losing output. */
  #isFollowed = false
  #pauseTimer: NodeJS.Timeout | undefined
  #pausedAt = 0
  #pauseBudgetMs: number = keeperLimits.maxPauseMs
  #lastPausedAt = 0

  constructor(id: string, key: string, isTerminal: boolean, pool: BufferPool) {
    this.output = new OutputBuffer(pool, keeperLimits.outputBytes)
    this.id = id
    this.key = key
    this.isTerminal = isTerminal
  }

  get exit(): Exit | undefined {
    return this.#exit
  }

  get processId(): ProcessId | undefined {
    return this.#processId
  }

  /** The report for the daemon; undefined before the process has started. */
  get report(): RunReport | undefined {
    if (!this.#processId) return undefined
    const { acknowledged, end } = this.output
    return { id: this.id, key: this.key, process: this.#processId, acknowledged, end, exit: this.#exit }
  }

  onStarted(process: ChildProcessHandle, id: ProcessId): void {
    this.#process = process
    this.#processId = id
  }

  onExited(exit: Exit): void {
    this.#exit = exit
    this.#releaseBackpressure()
  }

  onOutput(bytes: Uint8Array): void {
    this.output.append(bytes)
    if (this.#isBufferFull && this.#isFollowed) this.#applyBackpressure()
  }

  follow(isFollowed: boolean): void {
    this.#isFollowed = isFollowed
    if (!isFollowed) this.#releaseBackpressure()
  }

  acknowledge(to: number): void {
    this.output.acknowledge(to)
    if (this.output.size < keeperLimits.outputBytes / 2) this.#releaseBackpressure()
  }

  /** Returns the number of dropped bytes. */
  write(bytes: Buffer): number {
    return this.#exit ? 0 : (this.#process?.write(bytes) ?? 0)
  }

  resize(cols: number, rows: number): void {
    if (!this.#exit) this.#process?.resize(cols, rows)
  }

  get #isBufferFull(): boolean {
    return this.output.size > keeperLimits.outputBytes - keeperLimits.chunkBytes
  }

  /**
   * Pauses the process's output so that the daemon can catch up. The pause is bounded; after it the oldest output is
   * dropped.
   */
  #applyBackpressure(): void {
    if (this.#pauseTimer || this.#exit) return
    const now = performance.now()
    if (now - this.#lastPausedAt >= keeperLimits.pauseAgainMs) this.#pauseBudgetMs = keeperLimits.maxPauseMs
    const max = this.isTerminal ? Math.min(this.#pauseBudgetMs, keeperLimits.maxTerminalPauseMs) : this.#pauseBudgetMs
    if (max < 1) return
    this.#pausedAt = now
    this.#process?.pause()
    this.#pauseTimer = setTimeout(() => this.#releaseBackpressure(), max)
  }

  #releaseBackpressure(): void {
    if (!this.#pauseTimer) return
    clearTimeout(this.#pauseTimer)
    this.#pauseTimer = undefined
    this.#lastPausedAt = performance.now()
    this.#pauseBudgetMs -= this.#lastPausedAt - this.#pausedAt
    this.#process?.resume()
  }
}
