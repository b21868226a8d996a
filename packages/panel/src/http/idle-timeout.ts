import { limits } from '@innkeeper/contract/text/limits'

/** Calls `onTimeout` when the count does not change for a while. Returns a function that stops the timer. */
export function onIdle(count: () => number, onTimeout: () => void): () => void {
  let before = count()
  const timer = setInterval(() => {
    const now = count()
    if (now === before) onTimeout()
    before = now
  }, limits.nodeStreamIdleMs)
  return () => clearInterval(timer)
}
