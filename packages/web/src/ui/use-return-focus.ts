import { useEffect } from 'react'

/** Gives the focus back to where it was before an overlay that comes and goes as a whole, when that is still there. */
export function useReturnFocus(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
}
