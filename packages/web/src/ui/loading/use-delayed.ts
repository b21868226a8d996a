import { useEffect, useState } from 'react'

/** Delay before a skeleton is shown, so that quick responses show none. */
const skeletonDelayMs = 150

/** Whether something has been active for some time, by default long enough to show a skeleton. */
export function useDelayed(isActive: boolean, afterMs: number = skeletonDelayMs): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isActive) return setIsLate(false)
    const timer = window.setTimeout(() => setIsLate(true), afterMs)
    return () => window.clearTimeout(timer)
  }, [isActive, afterMs])
  return isActive && isLate
}
