import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useRouteError } from 'react-router'
import { useT } from '../i18n/i18n.tsx'
import { EmptyState } from '../ui/feedback/empty-state.tsx'
import { useHasNewBuild } from '../ui/loading/lazy-view.tsx'

/** Shown when a page failed to render. */
export function RouteError() {
  const t = useT()
  const error = useRouteError()
  const isOutdated = useHasNewBuild()
  // The whole error is only in the console of the browser.
  console.error(error)
  return (
    <EmptyState
      isError
      icon={IconAlertTriangle}
      title={t('errors.PageFailed')}
      actions={<Button onClick={() => location.reload()}>{t('errors.Reload')}</Button>}
    >
      {isOutdated && t('errors.PageFailedWhy')}
    </EmptyState>
  )
}
