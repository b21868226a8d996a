import { type ComponentType, createElement, type FunctionComponent, useState } from 'react'
import { TimeoutError, viewLoadTimeoutMs } from '../api/timeout.ts'
import { useT } from '../i18n/i18n.tsx'
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
  { timeoutMs = viewLoadTimeoutMs }: Options = {},
): FunctionComponent<P> {
  const source = lazySource(load, timeoutMs)
  return function LazyOverlay(props: P) {
    const t = useT()
    const [attempt, setAttempt] = useState(0)
    const { opened = true, onClose }: OverlayProps = props
    const Overlay: ComponentType<P> | undefined = useLazyComponent(source, {
      isWanted: opened,
      attempt,
      onFailure: (error) => {
        console.error(error)
        stopKeyCapture()
        onClose?.()
        const count = viewLoadTimeoutMs / 60_000
        toast.error(t('errors.OverlayFailed'), {
          detail: error instanceof TimeoutError ? t('errors.ViewTimeout', { count }) : t('errors.PageFailedWhy'),
          ...(onClose ? {} : { action: { label: t('common.TryAgain'), run: () => setAttempt(attempt + 1) } }),
        })
      },
    })
    return Overlay ? createElement<P>(Overlay, props) : null
  }
}
