interface Options {
  readonly maxAgeMs: number
  readonly now: () => number
}

/**
 * Keeps a value for a short time, because many requests need it. Concurrent calls share one read. Other panels on the
 * same database see a change after this time, this one after `forget`. A failed read is not kept.
 */
export function cachedValue<T>(read: () => Promise<T>, { maxAgeMs, now }: Options) {
  let cached: { readonly readAt: number; readonly value: Promise<T> } | undefined
  return {
    get(): Promise<T> {
      // The clock may have been set back.
      if (cached && Math.abs(now() - cached.readAt) < maxAgeMs) return cached.value
      const reading = { readAt: now(), value: read() }
      cached = reading
      reading.value.catch(() => {
        if (cached === reading) cached = undefined
      })
      return reading.value
    },

    forget(): void {
      cached = undefined
    },
  }
}
