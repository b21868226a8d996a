import { getConfig } from '@innkeeper/contract/panel'
import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isPanelUnreachable } from '../api/request-details.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import { useT } from '../i18n/i18n.tsx'
import { Alert } from '../ui/alert.tsx'

/** How often an unreachable panel is tried again. */
const retryMs = 5_000

interface ConnectionNoticeProps {
  /** The page shows by itself that the panel is unreachable. */
  readonly isShownByPage: boolean
}

/** Warns that a page may be out of date: the browser is offline, or the panel is unreachable. */
export function ConnectionNotice({ isShownByPage }: ConnectionNoticeProps) {
  const t = useT()
  const { online } = useNetwork()
  const isUnreachable = useIsPanelUnreachable()
  if (!online) return <Alert type="warning">{t('shell.Offline')}</Alert>
  if (isUnreachable && !isShownByPage) return <Alert type="warning">{t('shell.PanelUnreachable')}</Alert>
  return null
}

/** Whether the latest query did not reach the panel. When the panel is back, all queries are refetched. */
function useIsPanelUnreachable(): boolean {
  const queries = useQueryClient()
  const [isUnreachable, setIsUnreachable] = useState(false)
  useApiQuery(getConfig, {}, { staleTime: 60_000, refetchInterval: isUnreachable ? retryMs : false })

  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return
        const { action } = event
        if (action.type === 'success' && action.manual !== true) setIsUnreachable(false)
        else if (action.type === 'failed' || action.type === 'error') setIsUnreachable(isPanelUnreachable(action.error))
      }),
    [queries],
  )
  useEffect(() => {
    if (!isUnreachable) return
    return () => void queries.invalidateQueries()
  }, [isUnreachable, queries])
  return isUnreachable
}
