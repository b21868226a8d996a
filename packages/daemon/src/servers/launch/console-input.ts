import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Run } from '../../processes/run.ts'

const maxWaitingLines = 1_000

/**
 * Writes lines to a server, with a distance between them for games that only run the first of several lines that arrive
 * together.
 */
export class ConsoleInput {
  readonly #write: (run: Run, text: string) => void
  #run: Run | undefined
  #waiting: string[] = []
  #timer: NodeJS.Timeout | undefined
  #writtenAt = Number.NEGATIVE_INFINITY

  constructor(write: (run: Run, text: string) => void) {
    this.#write = write
  }

  /** Throws ErrTooMany when too many lines wait. */
  write(run: Run, text: string, distanceMs: number): void {
    if (this.#run !== run) this.close()
    this.#run = run
    if (distanceMs <= 0 && this.#waiting.length === 0) {
      this.#write(run, `${text}\n`)
      return
    }
    const lines = text.split('\n')
    if (this.#waiting.length + lines.length > maxWaitingLines) throw new Refusal('ErrTooMany', { max: maxWaitingLines })
    this.#waiting.push(...lines)
    if (this.#timer === undefined) this.#writeNext(run, distanceMs)
  }

  /** Forgets lines that were not written yet. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = []
    this.#run = undefined
    this.#writtenAt = Number.NEGATIVE_INFINITY
  }

  #writeNext(run: Run, distanceMs: number): void {
    this.#timer = undefined
    const waitMs = this.#writtenAt + distanceMs - performance.now()
    if (waitMs <= 0) {
      const line = this.#waiting.shift()
      if (line === undefined) return
      this.#write(run, `${line}\n`)
      this.#writtenAt = performance.now()
    }
    if (this.#waiting.length > 0)
      this.#timer = setTimeout(() => this.#writeNext(run, distanceMs), waitMs > 0 ? waitMs : distanceMs)
  }
}
