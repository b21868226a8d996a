import type { Duplex } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import type { Anchor, Anchors } from './anchor.ts'
import type { Engine } from './engine.ts'
import { type LogEntry, LogReader, sinceOf } from './log-reader.ts'

interface Deps {
  readonly engine: Pick<Engine, 'readLog' | 'closed' | 'isPodman'>
  readonly container: string
  readonly run: string
  readonly anchors: Anchors
  readonly anchor: Anchor | undefined
  readonly say: (message: string) => void
  readonly log: { warn(details: object, text: string): void }
}

/**
 * What a container prints, with offsets: bytes since it began. The daemon that started it hears it at once on its
 * terminal; one that comes later, or lost that, reads the engine's log from the last anchor on and skips what was handed
 * over. Decision 0020 says why both give the same offsets.
 */
export class ContainerOutput {
  readonly #deps: Deps
  #anchor: Anchor | undefined
  /** Offset behind the last byte that was handed over. */
  #handed = 0
  #acknowledged = 0
  #onOutput: (data: Uint8Array, from: number) => void = () => {}
  #onRoom: (() => void) | undefined
  #anchoring = false
  #anchoredAt = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
    this.#anchor = deps.anchor
    this.#acknowledged = deps.anchor?.offset ?? 0
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  begin(offset: number, onOutput: (data: Uint8Array, from: number) => void): void {
    this.#handed = offset
    this.#acknowledged = Math.max(this.#acknowledged, offset)
    this.#onOutput = onOutput
  }

  acknowledge(offset: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, offset)
    if (this.#hasRoom()) this.#onRoom?.()
    if (this.#isAnchorOld()) void this.#moveAnchor()
  }

  /**
   * Hands over what comes on the terminal until it ends or breaks, and says which. It must have been there since the
   * beginning.
   */
  async hear(terminal: Duplex): Promise<'ended' | 'broken'> {
    try {
      for await (const chunk of terminal) {
        const data: Buffer = chunk
        await this.#hand(data, this.#handed)
      }
      return 'ended'
    } catch (cause) {
      this.#deps.log.warn({ err: cause, run: this.#deps.run }, 'the terminal of a container broke')
      return 'broken'
    }
  }

  /** Hands over what the engine's log has beyond, and what comes; ends with the container. */
  async readLog(signal: AbortSignal): Promise<void> {
    if (this.#deps.engine.isPodman) return await this.#readFromBeginning(signal)
    // It moves on while this one is looked for.
    const before = this.#anchor
    let last: string | undefined
    const reader: LogReader = new LogReader(before?.offset ?? 0, (entry) => {
      if (last === undefined && before && entry.time !== before.time) reader.jump(this.#skipAhead(entry))
      // Entries of the same time cannot be told apart: the anchor is the first of them.
      if (entry.time !== last) this.#moveOn({ time: entry.time, offset: reader.at })
      last = entry.time
    })
    for await (const chunk of await this.#log(true, signal)) {
      const from = reader.at
      const parts = reader.read(chunk)
      const data = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      // After a jump the reader is further than the bytes account for.
      await this.#hand(data, Math.max(from, reader.at - data.length))
    }
    if (this.#anchor && this.#anchor !== before) await this.#save(this.#anchor)
  }

  /** For a log whose times are worth nothing as places: its bytes are counted. */
  async #readFromBeginning(signal: AbortSignal): Promise<void> {
    const { engine, container } = this.#deps
    let at = await this.#beginningOfLog(signal)
    for await (const chunk of await engine.readLog(container, { times: false, follow: true, signal })) {
      await this.#hand(chunk, at)
      at += chunk.length
    }
  }

  /** It begins with the run until it is full; then it begins anew, and only what comes from now on has a place. */
  async #beginningOfLog(signal: AbortSignal): Promise<number> {
    const { engine, container, say } = this.#deps
    let length = 0
    for await (const chunk of await engine.readLog(container, { times: false, follow: false, signal })) {
      length += chunk.length
    }
    if (length >= this.#handed) return 0
    say('Output may be missing: the log that Podman keeps was full, and began anew')
    return this.#handed - length
  }

  async #hand(data: Buffer, from: number): Promise<void> {
    const known = Math.max(0, this.#handed - from)
    if (known >= data.length) return
    this.#handed = from + data.length
    this.#onOutput(data.subarray(known), from + known)
    if (this.#hasRoom()) return
    // What is not read holds the container, as a terminal that nobody reads would.
    const { promise, resolve } = Promise.withResolvers<void>()
    const { closed } = this.#deps.engine
    const onClosed = () => resolve()
    this.#onRoom = resolve
    closed.addEventListener('abort', onClosed)
    if (closed.aborted) resolve()
    await promise
    closed.removeEventListener('abort', onClosed)
    this.#onRoom = undefined
  }

  #hasRoom(): boolean {
    return this.#handed - this.#acknowledged < limits.dockerOutputBufferBytes
  }

  #moveOn(anchor: Anchor): void {
    if (anchor.offset <= this.#acknowledged && anchor.offset > (this.#anchor?.offset ?? -1)) this.#anchor = anchor
  }

  /** The engine does not have the anchor any more: what it has is all new, and how much is gone nobody knows. */
  #skipAhead({ from }: LogEntry): number {
    this.#deps.say('Output was lost: the server printed more than the Docker Engine keeps while nobody listened')
    return Math.max(from, this.#handed) + 1
  }

  #isAnchorOld(): boolean {
    if (this.#deps.engine.isPodman || this.#anchoring || performance.now() - this.#anchoredAt < limits.dockerAnchorMs)
      return false
    return !this.#anchor || this.#acknowledged - this.#anchor.offset >= limits.dockerAnchorBytes
  }

  /** Moves the anchor on to the last entry that begins in what is kept. */
  async #moveAnchor(): Promise<void> {
    this.#anchoring = true
    this.#anchoredAt = performance.now()
    const { engine, log, run } = this.#deps
    const before = this.#anchor
    let next: Anchor | undefined
    let isFirst = true
    let isLost = false
    const reader = new LogReader(before?.offset ?? 0, ({ time, from }) => {
      if (isFirst && before && time !== before.time) isLost = true
      isFirst = false
      if (from <= this.#acknowledged && time !== next?.time) next = { time, offset: from }
    })
    try {
      for await (const chunk of await this.#log(false, AbortSignal.timeout(limits.dockerCallMs))) {
        reader.read(chunk)
        if (isLost || reader.at > this.#acknowledged) break
      }
      // A lost one stays: it is the mark by which the loss is seen.
      if (next && !isLost && next.time !== this.#anchor?.time) {
        this.#anchor = next
        await this.#save(next)
      }
    } catch (cause) {
      if (!engine.closed.aborted) log.warn({ err: cause, run }, 'the place in the log of a container cannot be found')
    } finally {
      this.#anchoring = false
    }
  }

  async #save(anchor: Anchor): Promise<void> {
    await this.#deps.anchors.save(this.#deps.run, anchor)
  }

  #log(follow: boolean, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const since = this.#anchor && sinceOf(this.#anchor.time)
    return this.#deps.engine.readLog(this.#deps.container, { since, follow, signal })
  }
}
