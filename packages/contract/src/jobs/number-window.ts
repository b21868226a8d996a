/** How far a number may be behind the highest one. */
const size = 4_096

/**
 * Accepts each of the numbers 1, 2, 3… once, in nearly any order: requests on several connections overtake each other.
 * Numbers that are far behind the highest one are rejected, so it needs little memory.
 */
export class NumberWindow {
  /** By number modulo `size`, the highest accepted number. */
  readonly #accepted = new Float64Array(size)
  #highest = 0

  /** Returns false for a number that was added before, or that is too far behind. */
  add(number: number): boolean {
    if (!Number.isSafeInteger(number) || number < 1 || number <= this.#highest - size) return false
    if ((this.#accepted[number % size] ?? 0) >= number) return false
    this.#accepted[number % size] = number
    this.#highest = Math.max(this.#highest, number)
    return true
  }
}
