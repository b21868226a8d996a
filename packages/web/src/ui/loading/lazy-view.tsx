import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import {
  type ComponentType,
  createContext,
  createElement,
  type FunctionComponent,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useState,
} from 'react'
import { hasNewBuild, loadCode } from '../../api/load-code.ts'
import { TimeoutError, viewLoadTimeoutMs } from '../../api/timeout.ts'
import { stopKeyCapture } from '../../hotkeys/key-capture.ts'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../feedback/empty-state.tsx'

const RetryContext = createContext<() => void>(() => undefined)

interface LazyViewOptions {
  readonly timeoutMs?: number
}

/**
 * A view whose code is loaded when it is first shown (code splitting). Until then it suspends. When the code cannot be loaded, or does not
 * come in time, a message with another try stands in its place; the rest of the page stays as it is.
 */
export function lazyView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  options: LazyViewOptions = {},
): FunctionComponent<P> {
  return retryableView(load, getAttempt(load, options), options)
}

/** A view whose code could not be loaded: the message, and the view after another try. */
export function failedView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  error: unknown,
  options: LazyViewOptions = {},
): FunctionComponent<P> {
  const View = retryableView(load, getFailure(error), options)
  return (props) => (
    <Suspense fallback={null}>
      <View {...props} />
    </Suspense>
  )
}

function retryableView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  first: ComponentType<P>,
  options: LazyViewOptions,
): FunctionComponent<P> {
  let latest = first
  return function LazyView(props: P) {
    const [View, setView] = useState(() => latest)
    const retry = () => {
      latest = getAttempt(load, options)
      setView(() => latest)
    }
    return <RetryContext value={retry}>{createElement<P>(View, props)}</RetryContext>
  }
}

function getAttempt<P extends object>(
  load: () => Promise<ComponentType<P>>,
  options: LazyViewOptions,
): ComponentType<P> {
  return lazy<ComponentType<P>>(async () => {
    try {
      return { default: await loadCode(load, options) }
    } catch (error) {
      return { default: getFailure(error) }
    }
  })
}

function getFailure(error: unknown): () => ReactNode {
  console.error(error)
  return () => <ViewFailure isTimeout={error instanceof TimeoutError} />
}

function ViewFailure({ isTimeout }: { readonly isTimeout: boolean }) {
  const t = useT()
  const retry = use(RetryContext)
  const isOutdated = useHasNewBuild()
  useEffect(stopKeyCapture, [])
  return (
    <EmptyState
      isError
      icon={IconAlertTriangle}
      title={t('errors.PartFailed')}
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
      {isOutdated
        ? t('errors.PageFailedWhy')
        : isTimeout
          ? t('errors.ViewTimeout', { count: viewLoadTimeoutMs / 60_000 })
          : t('errors.CheckConnection')}
    </EmptyState>
  )
}

/** Whether the panel has another build than the one that runs here; `false` until that is known. */
export function useHasNewBuild(): boolean {
  const [isNew, setIsNew] = useState(false)
  useEffect(() => {
    let isCurrent = true
    void hasNewBuild().then((result) => {
      if (isCurrent) setIsNew(result)
    })
    return () => {
      isCurrent = false
    }
  }, [])
  return isNew
}
