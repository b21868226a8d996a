/** Heights are summed in blocks of this many lines, so that a lookup need not add up all of them. */
const blockLines = 256
/** Dropped lines keep an entry of height 0 until there are this many. */
const compactThreshold = 32 * blockLines

/** The height and offset of each line in pixels, by its number. A height is an estimate until the line was measured. */
export class RowHeights {
  /** The line number of the first entry; entries before the origin are dropped lines. */
  #base: number
  #origin: number
  #heights: number[] = []
  /** The sum of each block of `blockLines` entries. */
  #blocks: number[] = []
  #total = 0

  constructor(origin: number) {
    this.#base = origin
    this.#origin = origin
  }

  get origin(): number {
    return this.#origin
  }

  get end(): number {
    return this.#base + this.#heights.length
  }

  get total(): number {
    return this.#total
  }

  push(height: number): void {
    const block = Math.floor(this.#heights.length / blockLines)
    this.#heights.push(height)
    this.#blocks[block] = (this.#blocks[block] ?? 0) + height
    this.#total += height
  }

  /** Stores a measured height and returns the difference to the previous one. */
  set(number: number, height: number): number {
    const index = number - this.#base
    const previous = this.#heights[index]
    if (number < this.#origin || previous === undefined || previous === height) return 0
    this.#heights[index] = height
    const block = Math.floor(index / blockLines)
    this.#blocks[block] = (this.#blocks[block] ?? 0) + height - previous
    this.#total += height - previous
    return height - previous
  }

  /** Drops the lines before a number; the following lines move up. */
  dropBefore(number: number): void {
    if (number <= this.#origin) return
    if (number >= this.end || number - this.#base > compactThreshold) {
      this.#rebuild(number, this.#heights.slice(number - this.#base))
      return
    }
    for (let dropped = this.#origin; dropped < number; dropped++) this.set(dropped, 0)
    this.#origin = number
  }

  /** Returns the distance of a line from the first one. */
  getOffset(number: number): number {
    const index = Math.max(0, Math.min(number - this.#base, this.#heights.length))
    const block = Math.floor(index / blockLines)
    let offset = 0
    for (let i = 0; i < block; i++) offset += this.#blocks[i] ?? 0
    for (let i = block * blockLines; i < index; i++) offset += this.#heights[i] ?? 0
    return offset
  }

  /** Returns the line at an offset, or the nearest one when the offset is out of range. */
  getLineAt(offset: number): number {
    let block = 0
    let start = 0
    while (block < this.#blocks.length - 1 && start + (this.#blocks[block] ?? 0) <= offset) {
      start += this.#blocks[block] ?? 0
      block++
    }
    let index = block * blockLines
    while (index < this.#heights.length - 1 && start + (this.#heights[index] ?? 0) <= offset) {
      start += this.#heights[index] ?? 0
      index++
    }
    return Math.max(this.#origin, Math.min(this.#base + index, this.end - 1))
  }

  #rebuild(origin: number, heights: readonly number[]): void {
    this.#base = origin
    this.#origin = origin
    this.#heights = []
    this.#blocks = []
    this.#total = 0
    for (const height of heights) this.push(height)
  }
}
