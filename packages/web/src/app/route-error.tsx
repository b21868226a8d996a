import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useRouteError } from 'react-router'
import { TimeoutError, viewLoadTimeoutMs } from '../api/timeout.ts'
import { useT } from '../i18n/i18n.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** Shown when a page failed to load or render, mostly because a newer version was installed while this one was open. */
export function RouteError() {
  const t = useT()
  const error = useRouteError()
  // The whole error is only in the console of the browser.
  console.error(error)
  return (
    <main>
      <EmptyState
        isError
        icon={IconAlertTriangle}
        title={t('errors.PageFailed')}
        actions={
          <Button onClick={() => location.reload()}>
            {t(error instanceof TimeoutError ? 'common.TryAgain' : 'errors.Reload')}
          </Button>
        }
      >
        {error instanceof TimeoutError
          ? t('errors.ViewTimeout', { count: viewLoadTimeoutMs / 60_000 })
          : t('errors.PageFailedWhy')}
      </EmptyState>
    </main>
  )
}
