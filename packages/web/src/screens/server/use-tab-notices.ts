import { hasCrashed, type ServerStatus } from '@innkeeper/contract/status'
import { useEffect, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { notifyInTab } from '../../ui/browser-tab.ts'

/** Says in the title of a background tab that the server crashed, came online or was installed. */
export function useTabNotices(status: ServerStatus | undefined): void {
  const t = useT()
  const previous = useRef(status)
  useEffect(() => {
    const before = previous.current
    previous.current = status
    if (!before || !status || before.state === status.state) return
    if (hasCrashed(status)) notifyInTab('error', t('server.TabCrashed'))
    else if (status.state === 'online') notifyInTab('success', t('server.TabOnline'))
    else if (before.state === 'installing') notifyInTab('success', t('server.TabInstalled'))
  }, [status, t])
}
