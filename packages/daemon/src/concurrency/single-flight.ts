/** A caller that waits for shared work: how it is informed, and when it stops waiting. */
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

/**
 * Single-flight: concurrent calls with the same key share one run. It is aborted when the last caller stops waiting.
 */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>()

  /** Rejects with the reason of the subscriber's signal; the run continues for others. */
  async run(key: string, subscriber: Subscriber, act: (subscriber: Subscriber) => Promise<void>): Promise<void> {
    subscriber.signal.throwIfAborted()
    // An aborted run may still be finishing.
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
      // The last subscriber waits until it has ended.
      if (flight.subscribers.size > 0) reject(subscriber.signal.reason)
    }
    subscriber.signal.addEventListener('abort', unsubscribe, { once: true })
    await Promise.race([flight.done, left]).finally(() => {
      subscriber.signal.removeEventListener('abort', unsubscribe)
      flight.subscribers.delete(subscriber)
    })
    subscriber.signal.throwIfAborted()
  }

  #begin(key: string, act: (subscriber: Subscriber) => Promise<void>): Flight {
    const abort = new AbortController()
    const subscribers = new Set<Subscriber>()
    const say = (message: string) => {
      for (const subscriber of subscribers) subscriber.say(message)
    }
    // Not before the caller is subscribed.
    const done = Promise.resolve().then(() => act({ signal: abort.signal, say }))
    const flight: Flight = { done, subscribers, abort }
    this.#flights.set(key, flight)
    const end = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    // Callers receive the failure.
    done.then(end, end)
    return flight
  }
}
