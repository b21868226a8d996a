import type { TaskEvent } from '@innkeeper/contract/servers/tasks'

/** Output within this time after a task typed a command counts as its response, and triggers no task. */
export const echoMs = 5_000
/** Events within this time after a start by a task count as caused by it. */
export const startEventsMs = 120_000

/** The tasks that led to something, by key: the task itself and the tasks that triggered it. */
export type CausalChain = ReadonlySet<string>

interface TimedEffect {
  readonly chain: CausalChain
  readonly until: number
}

/**
 * Prevents endless loops: a task is not triggered by its own effects, not even through other tasks, such as a task that
 * restarts its server whenever it starts. Effects of a task are: all events while its start or stop is in progress; for
 * a while, the exit of what it started, and output after its input.
 */
export class LoopGuard {
  readonly #actions = new Set<{ readonly chain: CausalChain }>()
  #started: TimedEffect | undefined
  #inputs: TimedEffect[] = []

  /** Records that a task starts or stops the server. Call the returned function when that is done. */
  beginAction(chain: CausalChain, isStart: boolean): () => void {
    const beginAction = { chain }
    this.#actions.add(beginAction)
    return () => {
      this.#actions.delete(beginAction)
      if (isStart) this.#started = { chain, until: performance.now() + startEventsMs }
    }
  }

  /** Records that a task wrote to the server's stdin. */
  recordInput(chain: CausalChain): void {
    const now = performance.now()
    this.#inputs = this.#inputs.filter(({ until }) => until > now)
    this.#inputs.push({ chain, until: now + echoMs })
  }

  /** The tasks that caused an event now, or output at a given (monotonic) time. */
  getCauses(event: TaskEvent, now: number = performance.now()): CausalChain {
    const chains = [...this.#actions].map(({ chain }) => chain)
    if (event !== 'started' && this.#started && this.#started.until > now) chains.push(this.#started.chain)
    if (event === 'console') for (const { chain, until } of this.#inputs) if (until > now) chains.push(chain)
    return new Set(chains.flatMap((chain) => [...chain]))
  }
}
