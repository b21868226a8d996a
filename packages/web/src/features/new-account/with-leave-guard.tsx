import { type ComponentType, useEffect } from 'react'
import { LeaveGuard, useLeaveGuard } from '../../forms/unsaved-changes.tsx'
import { getHistoryPosition } from '../../ui/navigation.tsx'

/** A page before sign-in that asks before unsaved changes are lost. */
export function withLeaveGuard(Screen: ComponentType): ComponentType {
  return function GuardedScreen() {
    return (
      <LeaveGuard>
        <HistoryGuard />
        <Screen />
      </LeaveGuard>
    )
  }
}

/**
 * Asks when the browser goes to another page before sign-in. It has already left the entry of this page then, so it returns to
 * it until the user has answered. Once the router is loaded it does nothing: the router can block the browser itself.
 */
function HistoryGuard(): null {
  const { registry, confirmLeave } = useLeaveGuard()
  useEffect(() => {
    const shown = getHistoryPosition()
    let isAsking = false
    const ask = async (distance: number) => {
      isAsking = true
      const isConfirmed = await confirmLeave()
      isAsking = false
      if (isConfirmed) history.go(distance)
    }
    const follow = (event: PopStateEvent) => {
      const distance = getHistoryPosition() - shown
      const isBack = distance === 0 && isAsking
      const isLost = distance !== 0 && registry.getDirty().length > 0
      if (isBack || isLost) event.stopImmediatePropagation()
      if (!isLost) return
      history.go(-distance)
      if (!isAsking) void ask(distance)
    }
    // Before the listener that shows the other page.
    window.addEventListener('popstate', follow, true)
    return () => window.removeEventListener('popstate', follow, true)
  }, [registry, confirmLeave])
  return null
}
