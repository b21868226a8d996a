import { useEffect, useState } from 'react'

/** How long nothing is shown before a skeleton: quick answers need none. */
const skeletonDelayMs = 150

/** Whether something has been going on for long enough to show it. */
export function useDelayed(isGoingOn: boolean, afterMs: number = skeletonDelayMs): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isGoingOn) return setIsLate(false)
    const timer = window.setTimeout(() => setIsLate(true), afterMs)
    return () => window.clearTimeout(timer)
  }, [isGoingOn, afterMs])
  return isGoingOn && isLate
}
