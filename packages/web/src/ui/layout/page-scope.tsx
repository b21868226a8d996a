import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { useLatest } from '../hooks/use-latest.ts'

type Cleanup = () => void

const PageScopeContext = createContext<Set<Cleanup> | undefined>(undefined)

/** Put this around an `<Activity>`: `usePageCleanup` inside then runs when the page is left, not when it is only hidden. */
export function PageScope({ children }: { children: ReactNode }) {
  const [cleanups] = useState(() => new Set<Cleanup>())
  useEffect(
    () =>
      runAtPageEnd(() => {
        for (const cleanup of cleanups) cleanup()
      }),
    [cleanups],
  )
  return <PageScopeContext value={cleanups}>{children}</PageScopeContext>
}

/** Runs a function when the page scope around the component (without one, the component) is unmounted or the tab is closed. */
export function usePageCleanup(cleanup: Cleanup): void {
  const scope = use(PageScopeContext)
  const latest = useLatest(cleanup)
  const [run] = useState(() => () => latest.current())
  useEffect(() => {
    if (!scope) return runAtPageEnd(run)
    // Not removed when the effect ends: `<Activity>` ends it when it hides the component.
    scope.add(run)
    return undefined
  }, [scope, run])
}

function runAtPageEnd(cleanup: Cleanup): () => void {
  window.addEventListener('pagehide', cleanup)
  return () => {
    window.removeEventListener('pagehide', cleanup)
    cleanup()
  }
}
