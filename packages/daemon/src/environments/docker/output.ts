import type { Duplex } from 'node:stream'
import { callTimeoutMs, type Engine } from './engine.ts'
import type { LogCheckpoint, LogCheckpoints } from './log-checkpoint.ts'
import { getSince, type LogEntry, LogReader } from './log-reader.ts'

/** Buffered output that is not stored yet. */
export const maxUnstoredBytes = 1_048_576
/** Distance from the end at which the position in Docker's log is saved. */
const checkpointBytes = 1_048_576
const checkpointIntervalMs = 5_000

interface Deps {
  readonly engine: Pick<Engine, 'readLog' | 'closedSignal' | 'isPodman'>
  readonly container: string
  readonly run: string
  readonly checkpoints: LogCheckpoints
  readonly checkpoint: LogCheckpoint | undefined
  readonly say: (message: string) => void
  readonly log: { warn(details: object, text: string): void }
}

/**
 * The output of a container with offsets: bytes since it began. The daemon that started it reads its terminal; a later
 * one, or one that lost the terminal, reads the engine's log from the last checkpoint on and skips what was delivered.
 * docs/decisions/0011 explains why both have the same offsets.
 */
export class ContainerOutput {
  readonly #deps: Deps
  #checkpoint: LogCheckpoint | undefined
  /** Offset after the last byte delivered. */
  #delivered = 0
  #acknowledged = 0
  #onOutput: (data: Uint8Array, from: number) => void = () => {}
  #onDrain: (() => void) | undefined
  #isMovingCheckpoint = false
  #checkpointAt = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
    this.#checkpoint = deps.checkpoint
    this.#acknowledged = deps.checkpoint?.offset ?? 0
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  begin(offset: number, onOutput: (data: Uint8Array, from: number) => void): void {
    this.#delivered = offset
    this.#acknowledged = Math.max(this.#acknowledged, offset)
    this.#onOutput = onOutput
  }

  acknowledge(offset: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, offset)
    if (this.#canDeliver()) this.#onDrain?.()
    if (this.#isCheckpointDue()) void this.#advanceCheckpoint()
  }

  /** Delivers what the terminal prints until it ends or breaks. It must have been attached since the beginning. */
  async readTerminal(terminal: Duplex): Promise<'ended' | 'broken'> {
    try {
      for await (const chunk of terminal) {
        const data: Buffer = chunk
        await this.#deliver(data, this.#delivered)
      }
      return 'ended'
    } catch (cause) {
      this.#deps.log.warn({ err: cause, run: this.#deps.run }, 'the terminal of a container broke')
      return 'broken'
    }
  }

  /** Delivers what the engine's log has beyond that and follows it; ends with the container. */
  async readLog(signal: AbortSignal): Promise<void> {
    if (this.#deps.engine.isPodman) return await this.#readFromBeginning(signal)
    // The checkpoint may advance meanwhile.
    const before = this.#checkpoint
    let last: string | undefined
    const reader: LogReader = new LogReader(before?.offset ?? 0, (entry) => {
      if (last === undefined && before && entry.time !== before.time) reader.jump(this.#reportLoss(entry))
      // Entries of the same time cannot be distinguished: the checkpoint is the first of them.
      if (entry.time !== last) this.#setCheckpoint({ time: entry.time, offset: reader.at })
      last = entry.time
    })
    for await (const chunk of await this.#log(true, signal)) {
      const from = reader.at
      const parts = reader.read(chunk)
      const data = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      // After a jump the reader is ahead of the delivered bytes.
      await this.#deliver(data, Math.max(from, reader.at - data.length))
    }
    if (this.#checkpoint && this.#checkpoint !== before) await this.#save(this.#checkpoint)
  }

  /** For a log whose timestamps are not unique: counts its bytes. */
  async #readFromBeginning(signal: AbortSignal): Promise<void> {
    const { engine, container } = this.#deps
    let at = await this.#beginningOfLog(signal)
    for await (const chunk of await engine.readLog(container, { times: false, follow: true, signal })) {
      await this.#deliver(chunk, at)
      at += chunk.length
    }
  }

  /** The log begins with the run until it is rotated; then only new output has a known offset. */
  async #beginningOfLog(signal: AbortSignal): Promise<number> {
    const { engine, container, say } = this.#deps
    let length = 0
    for await (const chunk of await engine.readLog(container, { times: false, follow: false, signal })) {
      length += chunk.length
    }
    if (length >= this.#delivered) return 0
    say('Output may be missing: the log that Podman keeps was full and was rotated')
    return this.#delivered - length
  }

  async #deliver(data: Buffer, from: number): Promise<void> {
    const known = Math.max(0, this.#delivered - from)
    if (known >= data.length) return
    this.#delivered = from + data.length
    this.#onOutput(data.subarray(known), from + known)
    if (this.#canDeliver()) return
    // Unread output pauses the container, as an unread terminal would.
    const { promise, resolve } = Promise.withResolvers<void>()
    const { closedSignal } = this.#deps.engine
    const onClosed = () => resolve()
    this.#onDrain = resolve
    closedSignal.addEventListener('abort', onClosed)
    if (closedSignal.aborted) resolve()
    await promise
    closedSignal.removeEventListener('abort', onClosed)
    this.#onDrain = undefined
  }

  #canDeliver(): boolean {
    return this.#delivered - this.#acknowledged < maxUnstoredBytes
  }

  #setCheckpoint(checkpoint: LogCheckpoint): void {
    if (checkpoint.offset <= this.#acknowledged && checkpoint.offset > (this.#checkpoint?.offset ?? -1))
      this.#checkpoint = checkpoint
  }

  /** The checkpoint is no longer in the log: all of the log is new, and how much is lost is unknown. */
  #reportLoss({ from }: LogEntry): number {
    this.#deps.say('Output was lost: the server printed more than Docker Engine keeps while the daemon was down')
    return Math.max(from, this.#delivered) + 1
  }

  #isCheckpointDue(): boolean {
    if (
      this.#deps.engine.isPodman ||
      this.#isMovingCheckpoint ||
      performance.now() - this.#checkpointAt < checkpointIntervalMs
    )
      return false
    return !this.#checkpoint || this.#acknowledged - this.#checkpoint.offset >= checkpointBytes
  }

  /** Advances the checkpoint to the last entry that begins in stored output. */
  async #advanceCheckpoint(): Promise<void> {
    this.#isMovingCheckpoint = true
    this.#checkpointAt = performance.now()
    const { engine, log, run } = this.#deps
    const before = this.#checkpoint
    let next: LogCheckpoint | undefined
    let isFirst = true
    let isLost = false
    const reader = new LogReader(before?.offset ?? 0, ({ time, from }) => {
      if (isFirst && before && time !== before.time) isLost = true
      isFirst = false
      if (from <= this.#acknowledged && time !== next?.time) next = { time, offset: from }
    })
    try {
      for await (const chunk of await this.#log(false, AbortSignal.timeout(callTimeoutMs))) {
        reader.read(chunk)
        if (isLost || reader.at > this.#acknowledged) break
      }
      // A lost checkpoint stays: the loss is detected by it.
      if (next && !isLost && next.time !== this.#checkpoint?.time) {
        this.#checkpoint = next
        await this.#save(next)
      }
    } catch (cause) {
      if (!engine.closedSignal.aborted)
        log.warn({ err: cause, run }, 'failed to find the checkpoint in the log of a container')
    } finally {
      this.#isMovingCheckpoint = false
    }
  }

  async #save(checkpoint: LogCheckpoint): Promise<void> {
    await this.#deps.checkpoints.save(this.#deps.run, checkpoint)
  }

  #log(follow: boolean, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const since = this.#checkpoint && getSince(this.#checkpoint.time)
    return this.#deps.engine.readLog(this.#deps.container, { since, follow, signal })
  }
}
