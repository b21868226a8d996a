import { Refusal } from '@innkeeper/contract/errors/refusals'

/** Timeout of a liveness check during a long request, and of the handshake of a live socket. */
export const livenessTimeoutMs = 3_000

export const livenessCheckIntervalMs = 3_000

/**
 * Probes a node while requests to it are pending. A cut connection is not reported: a request that waits for a server
 * to start, or for the bytes of a file, would wait for ever.
 */
export class LivenessProbe {
  readonly #isThere: () => Promise<boolean>
  readonly #pending = new Set<AbortController>()
  #timer: NodeJS.Timeout | undefined

  constructor(isThere: () => Promise<boolean>) {
    this.#isThere = isThere
  }

  /** Aborts a pending request when the node does not respond to probes, until the returned function is called. */
  begin(request: AbortController): () => void {
    this.#pending.add(request)
    this.#timer ??= this.#schedule()
    return () => {
      this.#pending.delete(request)
      if (this.#pending.size === 0) this.close()
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.#check(), livenessCheckIntervalMs)
  }

  async #check(): Promise<void> {
    const own = this.#timer
    // A single response can get lost on a bad connection.
    const isThere = (await this.#isThere()) || (await this.#isThere())
    if (this.#timer !== own) return
    if (isThere) {
      this.#timer = this.#schedule()
      return
    }
    this.close()
    const waiting = [...this.#pending]
    this.#pending.clear()
    for (const controller of waiting) controller.abort(new Refusal('ErrServiceNotAvailable'))
  }
}
