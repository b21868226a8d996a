import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'

/** Somebody who waits for a node. */
export interface Wait {
  /** Ends when the node is gone. */
  readonly signal: AbortSignal
  end(): void
}

/**
 * Notices while somebody waits for a node that it is gone. A line that is cut tells nobody: what waits for the end of a
 * start, or for the bytes of a file, would wait for ever.
 */
export class NodeWatch {
  readonly #isThere: () => Promise<boolean>
  readonly #waiting = new Set<AbortController>()
  #timer: NodeJS.Timeout | undefined

  constructor(isThere: () => Promise<boolean>) {
    this.#isThere = isThere
  }

  begin(): Wait {
    const controller = new AbortController()
    this.#waiting.add(controller)
    this.#timer ??= this.#soon()
    return {
      signal: controller.signal,
      end: () => {
        this.#waiting.delete(controller)
        if (this.#waiting.size === 0) this.close()
      },
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #soon(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), limits.livenessCheckEveryMs)
  }

  async #look(): Promise<void> {
    const own = this.#timer
    // One answer can get lost on a bad line.
    const isThere = (await this.#isThere()) || (await this.#isThere())
    if (this.#timer !== own) return
    if (isThere) {
      this.#timer = this.#soon()
      return
    }
    this.close()
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const controller of waiting) controller.abort(new Refusal('ErrServiceNotAvailable'))
  }
}
