import { type RefObject, useInsertionEffect, useRef } from 'react'

/**
 * A ref to the value of the last commit, for what runs outside of rendering: event handlers, timers, promises. Code that
 * only an effect of the same component starts uses `useEffectEvent` instead.
 */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  // Unlike a layout effect it also runs while `<Activity>` hides the component.
  useInsertionEffect(() => {
    latest.current = value
  })
  return latest
}
