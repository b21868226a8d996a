import { limits } from '@innkeeper/contract/limits'
import { type ComponentType, createElement, type FunctionComponent, useState } from 'react'
import { TimeoutError } from '../api/timeout.ts'
import { useText } from '../i18n/text.tsx'
import { toast } from './toast.tsx'
import { stopKeyCapture } from './type-ahead.ts'
import { type Load, lazySource, useLazyComponent } from './use-lazy-component.ts'

interface OverlayProps {
  /** Without it the overlay is open as long as it is mounted. */
  readonly opened?: boolean
  readonly onClose?: () => void
}

interface Options {
  readonly timeoutMs?: number
}

/**
 * A dialog, drawer or other overlay whose code is loaded when it is first opened. When the code cannot be loaded, or not in
 * time, a toast says so, captured keys are released and `onClose` is called: opening it again tries again. An overlay
 * without `onClose` offers another try in the toast.
 */
export function lazyOverlay<P extends object>(
  load: Load<P>,
  { timeoutMs = limits.viewLoadMs }: Options = {},
): FunctionComponent<P> {
  const source = lazySource(load, timeoutMs)
  return function LazyOverlay(props: P) {
    const text = useText()
    const [attempt, setAttempt] = useState(0)
    const { opened = true, onClose }: OverlayProps = props
    const Overlay: ComponentType<P> | undefined = useLazyComponent(source, {
      isWanted: opened,
      attempt,
      onFailure: (error) => {
        console.error(error)
        stopKeyCapture()
        onClose?.()
        const count = limits.viewLoadMs / 60_000
        toast.error(text('errors.OverlayFailed'), {
          detail: error instanceof TimeoutError ? text('errors.ViewTimeout', { count }) : text('errors.PageFailedWhy'),
          ...(onClose ? {} : { action: { label: text('common.TryAgain'), run: () => setAttempt(attempt + 1) } }),
        })
      },
    })
    return Overlay ? createElement<P>(Overlay, props) : null
  }
}
