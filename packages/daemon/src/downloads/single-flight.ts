/** Who waits for a piece of work: what they are told, and when they do not wait any more. */
export interface Subscriber {
  readonly signal: AbortSignal
  say(message: string): void
}

interface Flight {
  readonly done: Promise<unknown>
  readonly subscribers: Set<Subscriber>
  readonly abort: AbortController
}

const settled = async (flight: Flight): Promise<void> => {
  await Promise.allSettled([flight.done])
}

/** Work that is done once however many ask for it at a time. It ends early when nobody waits for it any more. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>()

  /** Rejects with the reason of `waiting.signal`, while the work goes on for others. */
  async run(key: string, subscriber: Subscriber, act: (how: Subscriber) => Promise<void>): Promise<void> {
    subscriber.signal.throwIfAborted()
    // What was given up is still at what it does for a moment.
    for (let ending = this.#flights.get(key); ending?.abort.signal.aborted; ending = this.#flights.get(key))
      await settled(ending)
    subscriber.signal.throwIfAborted()
    const flight = this.#flights.get(key) ?? this.#begin(key, act)
    flight.subscribers.add(subscriber)
    const { promise: left, reject } = Promise.withResolvers<never>()
    const unsubscribe = () => {
      flight.subscribers.delete(subscriber)
      if (flight.subscribers.size === 0) {
        flight.abort.abort(subscriber.signal.reason)
      }
      // The last one waits until nothing is left of it.
      if (flight.subscribers.size > 0) reject(subscriber.signal.reason)
    }
    subscriber.signal.addEventListener('abort', unsubscribe, { once: true })
    try {
      await Promise.race([flight.done, left])
    } finally {
      subscriber.signal.removeEventListener('abort', unsubscribe)
      flight.subscribers.delete(subscriber)
    }
    subscriber.signal.throwIfAborted()
  }

  #begin(key: string, act: (how: Subscriber) => Promise<void>): Flight {
    const abort = new AbortController()
    const subscribers = new Set<Subscriber>()
    const say = (message: string) => {
      for (const one of subscribers) one.say(message)
    }
    // Not before whoever asked is listened to.
    const done = Promise.resolve().then(() => act({ signal: abort.signal, say }))
    const flight: Flight = { done, subscribers, abort }
    this.#flights.set(key, flight)
    const end = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    // Whoever waits is told of a failure.
    done.then(end, end)
    return flight
  }
}
