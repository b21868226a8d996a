import { limits } from '@innkeeper/contract/limits'

/** Calls `giveUp` when a count does not move for long. The answer ends the watch. */
export function onIdle(count: () => number, onTimeout: () => void): () => void {
  let before = count()
  const timer = setInterval(() => {
    const now = count()
    if (now === before) onTimeout()
    before = now
  }, limits.nodeStreamIdleMs)
  return () => clearInterval(timer)
}
