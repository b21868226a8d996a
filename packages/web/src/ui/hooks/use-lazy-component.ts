import { type ComponentType, useEffect, useEffectEvent, useState } from 'react'
import { loadCode } from '../../api/load-code.ts'
import { viewLoadTimeoutMs } from '../../api/timeout.ts'

export type Load<P> = () => Promise<ComponentType<P>>

/** A component that is loaded on demand, shared by all who show it. */
export interface LazySource<P> {
  /** Rejects with a `TimeoutError` when the code does not come in time. */
  readonly load: Load<P>
  /** The component once it is loaded. */
  readonly loaded: () => ComponentType<P> | undefined
}

export function lazySource<P>(load: Load<P>, timeoutMs: number = viewLoadTimeoutMs): LazySource<P> {
  let loaded: ComponentType<P> | undefined
  return {
    load: async () => {
      loaded ??= await loadCode(load, { timeoutMs })
      return loaded
    },
    loaded: () => loaded,
  }
}

interface LazyComponentOptions {
  /** Loads the component; set it again, or change `attempt`, to try again after a failure. */
  readonly isWanted: boolean
  readonly attempt: number
  /** Called unless the component is no longer wanted by then. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Loads a component while it is wanted. Unlike `lazy` it neither suspends nor throws, and a failed load is forgotten.
 * Returns undefined until it is loaded.
 */
export function useLazyComponent<P>(
  source: LazySource<P>,
  { isWanted, attempt, onFailure }: LazyComponentOptions,
): ComponentType<P> | undefined {
  const [component, setComponent] = useState(source.loaded)
  const fail = useEffectEvent(onFailure)
  const isLoading = isWanted && component === undefined

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads again
  useEffect(() => {
    if (!isLoading) return
    let isCurrent = true
    source.load().then(
      (loaded) => {
        if (isCurrent) setComponent(() => loaded)
      },
      (error: unknown) => {
        if (isCurrent) fail(error)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [source, isLoading, attempt])
  return component
}
