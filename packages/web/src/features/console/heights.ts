/** Lines are summed in blocks of so many, so that a place is found without adding up all of them. */
const blockLines = 256
/** Forgotten lines keep an empty place; so many are cleared at once. */
const clearAfter = 32 * blockLines

/**
 * How high each line is, by its number, and where it stands. Heights are guesses until a line was shown and measured.
 */
export class Heights {
  /** The number of the first place; up to the origin they are empty. */
  #base: number
  #origin: number
  #heights: number[] = []
  /** The sum of each block of `blockLines` places. */
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

  /** Takes a measured height; answers by how much it differs from what was believed. */
  set(number: number, height: number): number {
    const index = number - this.#base
    const before = this.#heights[index]
    if (number < this.#origin || before === undefined || before === height) return 0
    this.#heights[index] = height
    const block = Math.floor(index / blockLines)
    this.#blocks[block] = (this.#blocks[block] ?? 0) + height - before
    this.#total += height - before
    return height - before
  }

  /** Forgets the lines before a number; what follows moves up. */
  dropBefore(number: number): void {
    if (number <= this.#origin) return
    if (number >= this.end || number - this.#base > clearAfter) {
      this.#rebuild(number, this.#heights.slice(number - this.#base))
      return
    }
    for (let dropped = this.#origin; dropped < number; dropped++) this.set(dropped, 0)
    this.#origin = number
  }

  /** Forgets the lines from a number on. */
  dropFrom(number: number): void {
    if (number < this.end) {
      this.#rebuild(
        this.#origin,
        this.#heights.slice(this.#origin - this.#base, Math.max(this.#origin, number) - this.#base),
      )
    }
  }

  /** Where a line begins. */
  offsetOf(number: number): number {
    const index = Math.max(0, Math.min(number - this.#base, this.#heights.length))
    const block = Math.floor(index / blockLines)
    let offset = 0
    for (let at = 0; at < block; at++) offset += this.#blocks[at] ?? 0
    for (let at = block * blockLines; at < index; at++) offset += this.#heights[at] ?? 0
    return offset
  }

  /** The line that covers a place; the nearest one outside. */
  lineAt(offset: number): number {
    let block = 0
    let from = 0
    while (block < this.#blocks.length - 1 && from + (this.#blocks[block] ?? 0) <= offset) {
      from += this.#blocks[block] ?? 0
      block++
    }
    let index = block * blockLines
    while (index < this.#heights.length - 1 && from + (this.#heights[index] ?? 0) <= offset) {
      from += this.#heights[index] ?? 0
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
