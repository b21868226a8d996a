import { useEffect, useState } from 'react'

/** Whether the browser is idle for the first time after mounting. */
export function useIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false)
  useEffect(() => {
    // Safari has no `requestIdleCallback`.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(() => setIsIdle(true), 200)
      return () => clearTimeout(timer)
    }
    const handle = requestIdleCallback(() => setIsIdle(true), { timeout: 1_000 })
    return () => cancelIdleCallback(handle)
  }, [])
  return isIdle
}

/** Loads code in advance once the browser is idle. Errors are ignored: the code is loaded again when it is needed. */
export function usePreload(load: () => Promise<unknown>): void {
  const isIdle = useIdle()
  useEffect(() => {
    if (isIdle) load().catch(() => undefined)
  }, [isIdle, load])
}
