import { limits } from '@innkeeper/contract/limits'
import type { TaskEvent } from '@innkeeper/contract/tasks'

/** The tasks that led to something, by their keys: whose doing it is, and by whose doing that one ran. */
export type CausalChain = ReadonlySet<string>

interface TimedEffect {
  readonly chain: CausalChain
  readonly until: number
}

/**
 * What tasks did to their server lately. None is set off by what it did itself, be it through another one: a task that
 * restarts its server when that has started would do so for ever. What happens while a start or an end by a task is not
 * through is its doing, and for a while so is the end of what it started and what is printed after it typed something.
 */
export class LoopGuard {
  readonly #actions = new Set<{ readonly chain: CausalChain }>()
  #started: TimedEffect | undefined
  #inputs: TimedEffect[] = []

  /** A task begins to start or end the server; the answer says that it is through. */
  beginAction(chain: CausalChain, isStart: boolean): () => void {
    const beginAction = { chain }
    this.#actions.add(beginAction)
    return () => {
      this.#actions.delete(beginAction)
      if (isStart) this.#started = { chain, until: performance.now() + limits.taskOwnStartMs }
    }
  }

  /** A task typed something into the server. */
  recordInput(chain: CausalChain): void {
    const now = performance.now()
    this.#inputs = this.#inputs.filter(({ until }) => until > now)
    this.#inputs.push({ chain, until: now + limits.taskEchoMs })
  }

  /** The tasks behind something that happens now, or happened at a moment (monotonic). */
  causesOf(event: TaskEvent, now: number = performance.now()): CausalChain {
    const chains = [...this.#actions].map(({ chain }) => chain)
    if (event !== 'started' && this.#started && this.#started.until > now) chains.push(this.#started.chain)
    if (event === 'console') for (const { chain, until } of this.#inputs) if (until > now) chains.push(chain)
    return new Set(chains.flatMap((chain) => [...chain]))
  }
}
