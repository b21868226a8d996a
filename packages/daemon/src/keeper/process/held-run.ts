import type { ProcessId } from '../../proc/process-id.ts'
import { type Exit, keeperLimits, type RunReport } from '../protocol.ts'
import type { HeldProcess } from './held-process.ts'
import { type BlockPool, OutputBuffer } from './output-buffer.ts'

/** A run that the keeper holds: its output until it is acknowledged, and its exit until it is forgotten. */
export class HeldRun {
  readonly id: string
  readonly key: string
  readonly isTerminal: boolean
  readonly output: OutputBuffer
  #process: HeldProcess | undefined
  #processId: ProcessId | undefined
  #exit: Exit | undefined
  /** A daemon reads this run, so holding it for a moment can save output. */
  #isFollowed = false
  #hold: NodeJS.Timeout | undefined
  #heldSince = 0
  #holdLeft: number = keeperLimits.holdMs
  #lastHeld = 0

  constructor(id: string, key: string, isTerminal: boolean, pool: BlockPool) {
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

  /** What a daemon is told; nothing before the process was started. */
  get report(): RunReport | undefined {
    if (!this.#processId) return undefined
    const { acknowledged, end } = this.output
    return { id: this.id, key: this.key, process: this.#processId, acknowledged, end, exit: this.#exit }
  }

  began(process: HeldProcess, id: ProcessId): void {
    this.#process = process
    this.#processId = id
  }

  ended(exit: Exit): void {
    this.#exit = exit
    this.#release()
  }

  took(bytes: Uint8Array): void {
    this.output.append(bytes)
    if (this.#isFull && this.#isFollowed) this.#holdBack()
  }

  follow(isFollowed: boolean): void {
    this.#isFollowed = isFollowed
    if (!isFollowed) this.#release()
  }

  acknowledge(to: number): void {
    this.output.acknowledge(to)
    if (this.output.size < keeperLimits.outputBytes / 2) this.#release()
  }

  /** Gives how many bytes were dropped. */
  write(bytes: Buffer): number {
    return this.#exit ? 0 : (this.#process?.write(bytes) ?? 0)
  }

  resize(cols: number, rows: number): void {
    if (!this.#exit) this.#process?.resize(cols, rows)
  }

  get #isFull(): boolean {
    return this.output.size > keeperLimits.outputBytes - keeperLimits.chunkBytes
  }

  /** Gives the daemon a moment to catch up. A server is never held longer: after that the oldest output is dropped. */
  #holdBack(): void {
    if (this.#hold || this.#exit) return
    const now = performance.now()
    if (now - this.#lastHeld >= keeperLimits.holdAgainMs) this.#holdLeft = keeperLimits.holdMs
    const most = this.isTerminal ? Math.min(this.#holdLeft, keeperLimits.holdTerminalMs) : this.#holdLeft
    if (most < 1) return
    this.#heldSince = now
    this.#process?.pause()
    this.#hold = setTimeout(() => this.#release(), most)
  }

  #release(): void {
    if (!this.#hold) return
    clearTimeout(this.#hold)
    this.#hold = undefined
    this.#lastHeld = performance.now()
    this.#holdLeft -= this.#lastHeld - this.#heldSince
    this.#process?.resume()
  }
}
