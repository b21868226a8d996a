import { useEffect, useState } from 'react'

/** Whether the first paint is over and the browser has time for what may be wanted next. */
export function useIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false)
  useEffect(() => {
    // Safari has no idle callback; a moment after the first paint is as good.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(() => setIsIdle(true), 200)
      return () => clearTimeout(timer)
    }
    const handle = requestIdleCallback(() => setIsIdle(true), { timeout: 1_000 })
    return () => cancelIdleCallback(handle)
  }, [])
  return isIdle
}

/** Loads code ahead, once the browser has time for it. A failure is left to whoever needs the code: it is loaded again then. */
export function useWhenIdle(load: () => Promise<unknown>): void {
  const isIdle = useIdle()
  useEffect(() => {
    if (isIdle) load().catch(() => undefined)
  }, [isIdle, load])
}
