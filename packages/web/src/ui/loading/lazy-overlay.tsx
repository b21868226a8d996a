import { type ComponentType, createElement, type FunctionComponent, useState } from 'react'
import { viewLoadTimeoutMs } from '../../api/timeout.ts'
import { type Load, lazySource, useLazyComponent } from '../hooks/use-lazy-component.ts'
import { useReportLoadFailure } from './use-load-failure.ts'

interface OverlayProps {
  /** Without it the overlay is open as long as it is mounted. */
  readonly opened?: boolean
  readonly onClose?: () => void
}

/**
 * A dialog, drawer or other overlay whose code is loaded when it is first opened. When the code cannot be loaded, or not in
 * time, a toast says so, keys reach the page again and `onClose` is called: opening it again repeats the load. An overlay
 * without `onClose` offers a retry in the toast.
 */
export function lazyOverlay<P extends object>(
  load: Load<P>,
  { timeoutMs = viewLoadTimeoutMs }: { timeoutMs?: number } = {},
): FunctionComponent<P> {
  const source = lazySource(load, timeoutMs)
  return function LazyOverlay(props: P) {
    const reportFailure = useReportLoadFailure()
    const [attempt, setAttempt] = useState(0)
    const { opened = true, onClose }: OverlayProps = props
    const Overlay: ComponentType<P> | undefined = useLazyComponent(source, {
      isWanted: opened,
      attempt,
      onFailure: (error) => {
        onClose?.()
        reportFailure(error, onClose ? undefined : () => setAttempt(attempt + 1))
      },
    })
    return Overlay ? createElement<P>(Overlay, props) : null
  }
}
