import { getConfig } from '@innkeeper/contract/panel'
import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isPanelUnreachable } from '../api/request-details.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import { useT } from '../i18n/i18n.tsx'
import { Alert } from '../ui/alert.tsx'

/** How often a panel that does not answer is asked whether it is back. */
const askAgainMs = 5_000

interface ConnectionNoticeProps {
  /** The page in view says by itself that the panel does not answer. */
  readonly isSaidByPage: boolean
}

/** Says that what a page shows may be old: the browser is offline, or the panel does not answer. */
export function ConnectionNotice({ isSaidByPage }: ConnectionNoticeProps) {
  const t = useT()
  const { online } = useNetwork()
  const isAway = useIsPanelAway()
  if (!online) return <Alert type="warning">{t('shell.Offline')}</Alert>
  if (isAway && !isSaidByPage) return <Alert type="warning">{t('shell.PanelAway')}</Alert>
  return null
}

/** Whether the panel did not answer the last request for what a page shows. When it is back everything is asked anew. */
function useIsPanelAway(): boolean {
  const queries = useQueryClient()
  const [isAway, setIsAway] = useState(false)
  useApiQuery(getConfig, {}, { staleTime: 60_000, refetchInterval: isAway ? askAgainMs : false })

  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return
        const { action } = event
        if (action.type === 'success' && action.manual !== true) setIsAway(false)
        else if (action.type === 'failed' || action.type === 'error') setIsAway(isPanelUnreachable(action.error))
      }),
    [queries],
  )
  useEffect(() => {
    if (!isAway) return
    return () => void queries.invalidateQueries()
  }, [isAway, queries])
  return isAway
}
