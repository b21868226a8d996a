import { limits } from '@innkeeper/contract/limits'
import type { TaskEvent } from '@innkeeper/contract/tasks'

/** The tasks that led to something, by their keys: whose doing it is, and by whose doing that one ran. */
export type Chain = ReadonlySet<string>

interface Lasting {
  readonly chain: Chain
  readonly until: number
}

/**
 * What tasks did to their server lately. None is set off by what it did itself, be it through another one: a task that
 * restarts its server when that has started would do so for ever. What happens while a start or an end by a task is not
 * through is its doing, and for a while so is the end of what it started and what is printed after it typed something.
 */
export class Consequences {
  readonly #acts = new Set<{ readonly chain: Chain }>()
  #started: Lasting | undefined
  #typed: Lasting[] = []

  /** A task begins to start or end the server; the answer says that it is through. */
  act(chain: Chain, isStart: boolean): () => void {
    const act = { chain }
    this.#acts.add(act)
    return () => {
      this.#acts.delete(act)
      if (isStart) this.#started = { chain, until: performance.now() + limits.taskOwnStartMs }
    }
  }

  /** A task typed something into the server. */
  type(chain: Chain): void {
    const now = performance.now()
    this.#typed = this.#typed.filter(({ until }) => until > now)
    this.#typed.push({ chain, until: now + limits.taskEchoMs })
  }

  /** The tasks behind something that happens now, or happened at a moment (monotonic). */
  behind(event: TaskEvent, now: number = performance.now()): Chain {
    const chains = [...this.#acts].map(({ chain }) => chain)
    if (event !== 'started' && this.#started && this.#started.until > now) chains.push(this.#started.chain)
    if (event === 'console') for (const { chain, until } of this.#typed) if (until > now) chains.push(chain)
    return new Set(chains.flatMap((chain) => [...chain]))
  }
}
