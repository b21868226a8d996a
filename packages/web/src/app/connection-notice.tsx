import { getConfig } from '@innkeeper/contract/panel'
import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isPanelUnreachable } from '../api/request-details.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import { useFormatters, useT } from '../i18n/i18n.tsx'
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
  const { time } = useFormatters()
  const unreachableSince = usePanelUnreachableSince()
  if (!online) return <Alert type="warning">{t('shell.Offline')}</Alert>
  if (unreachableSince !== undefined && !isShownByPage) {
    return <Alert type="warning">{t('server.PanelUnreachable', { time: time(unreachableSince) })}</Alert>
  }
  return null
}

/** Since when queries do not reach the panel, epoch milliseconds. When the panel is back, all queries are refetched. */
function usePanelUnreachableSince(): number | undefined {
  const queries = useQueryClient()
  const [since, setSince] = useState<number>()
  const isUnreachable = since !== undefined
  useApiQuery(getConfig, {}, { staleTime: 60_000, refetchInterval: isUnreachable ? retryMs : false })

  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return
        const { action } = event
        if (action.type === 'success' && action.manual !== true) setSince(undefined)
        else if (action.type === 'failed' || action.type === 'error') {
          setSince((before) => (isPanelUnreachable(action.error) ? (before ?? Date.now()) : undefined))
        }
      }),
    [queries],
  )
  useEffect(() => {
    if (!isUnreachable) return
    return () => void queries.invalidateQueries()
  }, [isUnreachable, queries])
  return since
}
