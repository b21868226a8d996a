import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { useLatest } from './use-latest.ts'

type Leave = () => void

const PageScopeContext = createContext<Set<Leave> | undefined>(undefined)

/** Put this around an `<Activity>`: `useOnPageLeave` inside then runs when the page is left, not when it is only hidden. */
export function PageScope({ children }: { children: ReactNode }) {
  const [leaves] = useState(() => new Set<Leave>())
  useEffect(
    () =>
      subscribeToLeaving(() => {
        for (const leave of leaves) leave()
      }),
    [leaves],
  )
  return <PageScopeContext value={leaves}>{children}</PageScopeContext>
}

/** Runs a function when the page scope around the component (without one, the component) is unmounted or the tab is closed. */
export function useOnPageLeave(leave: Leave): void {
  const scope = use(PageScopeContext)
  const latest = useLatest(leave)
  const [run] = useState(() => () => latest.current())
  useEffect(() => {
    if (!scope) return subscribeToLeaving(run)
    // Not removed on cleanup: `<Activity>` ends this effect when it hides the component.
    scope.add(run)
    return undefined
  }, [scope, run])
}

function subscribeToLeaving(leave: Leave): () => void {
  window.addEventListener('pagehide', leave)
  return () => {
    window.removeEventListener('pagehide', leave)
    leave()
  }
}
