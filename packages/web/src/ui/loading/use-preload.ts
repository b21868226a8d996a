import { useEffect } from 'react'

/** Loads code in advance once the browser is idle. Errors are ignored: the code is loaded again when it is needed. */
export function usePreload(load: () => Promise<unknown>): void {
  useEffect(() => {
    const run = () => void load().catch(() => undefined)
    // Safari has no `requestIdleCallback`.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(run, 200)
      return () => clearTimeout(timer)
    }
    const handle = requestIdleCallback(run, { timeout: 1_000 })
    return () => cancelIdleCallback(handle)
  }, [load])
}
