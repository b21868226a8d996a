import { useCallback, useRef, useState } from 'react'

type Change<S extends object | undefined> = S | ((before: S) => S)

/**
 * Like `useState`, with a third function that returns the current state: for asynchronous work, and for the leave guard of
 * a hidden tab, whose closures are older.
 */
export function useLatestState<S extends object | undefined>(
  initial: S | (() => S),
): readonly [S, (change: Change<S>) => void, () => S] {
  const [state, setState] = useState(initial)
  const latest = useRef(state)
  const set = useCallback((change: Change<S>) => {
    latest.current = typeof change === 'function' ? change(latest.current) : change
    setState(latest.current)
  }, [])
  const get = useCallback(() => latest.current, [])
  return [state, set, get]
}
