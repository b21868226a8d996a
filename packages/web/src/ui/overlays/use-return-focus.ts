import { useEffect } from 'react'

/** On unmount, returns the focus to the element that had it on mount, if it still exists. */
export function useReturnFocus(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
}
