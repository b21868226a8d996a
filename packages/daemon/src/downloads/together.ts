/** Who waits for a piece of work: what they are told, and when they do not wait any more. */
export interface Waiting {
  readonly signal: AbortSignal
  say(message: string): void
}

interface Work {
  readonly done: Promise<unknown>
  readonly waiting: Set<Waiting>
  readonly giveUp: AbortController
}

const settled = async (work: Work): Promise<void> => {
  await Promise.allSettled([work.done])
}

/** Work that is done once however many ask for it at a time. It ends early when nobody waits for it any more. */
export class Together {
  readonly #works = new Map<string, Work>()

  /** Rejects with the reason of `waiting.signal`, while the work goes on for others. */
  async run(key: string, waiting: Waiting, act: (how: Waiting) => Promise<void>): Promise<void> {
    waiting.signal.throwIfAborted()
    // What was given up is still at what it does for a moment.
    for (let ending = this.#works.get(key); ending?.giveUp.signal.aborted; ending = this.#works.get(key))
      await settled(ending)
    waiting.signal.throwIfAborted()
    const work = this.#works.get(key) ?? this.#begin(key, act)
    work.waiting.add(waiting)
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => {
      work.waiting.delete(waiting)
      if (work.waiting.size === 0) {
        work.giveUp.abort(waiting.signal.reason)
      }
      // The last one waits until nothing is left of it.
      if (work.waiting.size > 0) reject(waiting.signal.reason)
    }
    waiting.signal.addEventListener('abort', leave, { once: true })
    try {
      await Promise.race([work.done, left])
    } finally {
      waiting.signal.removeEventListener('abort', leave)
      work.waiting.delete(waiting)
    }
    waiting.signal.throwIfAborted()
  }

  #begin(key: string, act: (how: Waiting) => Promise<void>): Work {
    const giveUp = new AbortController()
    const waiting = new Set<Waiting>()
    const say = (message: string) => {
      for (const one of waiting) one.say(message)
    }
    // Not before whoever asked is listened to.
    const done = Promise.resolve().then(() => act({ signal: giveUp.signal, say }))
    const work: Work = { done, waiting, giveUp }
    this.#works.set(key, work)
    const end = () => {
      if (this.#works.get(key) === work) this.#works.delete(key)
    }
    // Whoever waits is told of a failure.
    done.then(end, end)
    return work
  }
}
