import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import {
  type ComponentType,
  createContext,
  createElement,
  type FunctionComponent,
  lazy,
  use,
  useEffect,
  useState,
} from 'react'
import { TimeoutError, viewLoadTimeoutMs, withTimeout } from '../api/timeout.ts'
import { useT } from '../i18n/i18n.tsx'
import { EmptyState } from './empty-state.tsx'
import { stopKeyCapture } from './key-capture.ts'

const RetryContext = createContext<() => void>(() => undefined)

/**
 * A view whose code is loaded when it is first shown. Until then it suspends. When the code cannot be loaded, or does not
 * come in time, a message with another try stands in its place; the rest of the page stays as it is.
 */
export function lazyView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { timeoutMs = viewLoadTimeoutMs }: { timeoutMs?: number } = {},
): FunctionComponent<P> {
  const attempt = () =>
    lazy<ComponentType<P>>(async () => {
      try {
        return { default: await withTimeout(load(), timeoutMs) }
      } catch (error) {
        console.error(error)
        return { default: () => <ViewFailure isTimeout={error instanceof TimeoutError} /> }
      }
    })
  let latest = attempt()
  return function LazyView(props: P) {
    const [View, setView] = useState(() => latest)
    const retry = () => {
      latest = attempt()
      setView(latest)
    }
    return <RetryContext value={retry}>{createElement<P>(View, props)}</RetryContext>
  }
}

function ViewFailure({ isTimeout }: { readonly isTimeout: boolean }) {
  const t = useT()
  const retry = use(RetryContext)
  const minutes = viewLoadTimeoutMs / 60_000
  useEffect(stopKeyCapture, [])
  return (
    <EmptyState
      isError
      icon={IconAlertTriangle}
      title={t('errors.PageFailed')}
      actions={
        <>
          <Button variant="default" onClick={retry}>
            {t('common.TryAgain')}
          </Button>
          <Button variant="subtle" onClick={() => location.reload()}>
            {t('errors.Reload')}
          </Button>
        </>
      }
    >
      {isTimeout ? t('errors.ViewTimeout', { count: minutes }) : t('errors.PageFailedWhy')}
    </EmptyState>
  )
}
