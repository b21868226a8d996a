import { useCallback, useRef, useState } from 'react'

type Change<S extends object | undefined> = S | ((before: S) => S)

/** A state that asynchronous work, and the leave guard of a hidden tab, can also read as it is now: with the last function. */
export function useLatestState<S extends object | undefined>(
  initial: S,
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
