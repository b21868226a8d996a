import { useEffect, useState } from 'react'

/** How long nothing is shown before a skeleton: quick answers need none. */
const patienceMs = 150

/** Whether something has been going on for long enough to show it. */
export function useIsLate(isGoingOn: boolean, afterMs: number = patienceMs): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isGoingOn) return setIsLate(false)
    const timer = window.setTimeout(() => setIsLate(true), afterMs)
    return () => window.clearTimeout(timer)
  }, [isGoingOn, afterMs])
  return isGoingOn && isLate
}
