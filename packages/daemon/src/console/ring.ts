import type { Frame } from './frame.ts'

/** A ring buffer with the last output of a console, up to a byte budget; the oldest frames are evicted. */
export class Ring {
  readonly #budget: number
  /** Frames by number: the first one is `#first`. */
  #frames: (Frame | undefined)[] = []
  #head = 0
  #first = 0
  #memoryBytes = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** The number of the oldest frame. */
  get first(): number {
    return this.#first
  }

  /** The number of the next frame. */
  get next(): number {
    return this.#first + this.#frames.length - this.#head
  }

  /** The position of the oldest output; undefined when empty. */
  get from(): number | undefined {
    return this.at(this.#first)?.from
  }

  /** The position after the newest output. */
  get to(): number {
    return this.at(this.next - 1)?.to ?? 0
  }

  push(frame: Frame): void {
    this.#frames.push(frame)
    this.#memoryBytes += frame.memoryBytes
    this.#evict()
  }

  /** Inserts frames before the oldest one, as far as the budget allows; their numbers may be negative. */
  unshift(older: readonly Frame[]): void {
    const fitting: Frame[] = []
    for (const frame of older.toReversed()) {
      if (this.#memoryBytes + frame.memoryBytes > this.#budget) break
      this.#memoryBytes += frame.memoryBytes
      fitting.unshift(frame)
    }
    this.#frames = [...fitting, ...this.#frames.slice(this.#head)]
    this.#head = 0
    this.#first -= fitting.length
  }

  at(number: number): Frame | undefined {
    return this.#frames[this.#head + number - this.#first]
  }

  /** The message of a frame; encoding it may change its memory usage. */
  message(number: number): Buffer | undefined {
    const frame = this.at(number)
    if (!frame) return undefined
    const before = frame.memoryBytes
    const { message } = frame
    this.#memoryBytes += frame.memoryBytes - before
    return message
  }

  /** Returns the number of the first frame with output after a position. */
  find(position: number): number {
    let [low, high] = [this.#first, this.next]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.at(middle) as Frame).to <= position) low = middle + 1
      else high = middle
    }
    return low
  }

  #evict(): void {
    while (this.#memoryBytes > this.#budget && this.#frames.length - this.#head > 1) {
      const oldest = this.#frames[this.#head] as Frame
      this.#memoryBytes -= oldest.memoryBytes
      oldest.drop()
      this.#frames[this.#head] = undefined
      this.#head++
      this.#first++
    }
    // Compacted rarely: moving the rest costs as much as there are frames.
    if (this.#head > 64 && this.#head * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#head)
      this.#head = 0
    }
  }
}
