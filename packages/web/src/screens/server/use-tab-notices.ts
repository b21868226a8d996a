import { isCrash, type ServerStatus } from '@innkeeper/contract/servers/status'
import { useEffect, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { notifyInTab } from '../../theme/browser-tab.ts'

/** Says in the title of a background tab that the server crashed, came online, was installed or failed to install. */
export function useTabNotices(status: ServerStatus | undefined): void {
  const t = useT()
  const previous = useRef(status)
  useEffect(() => {
    const before = previous.current
    previous.current = status
    if (!before || !status) return
    const exit = status.lastExit?.at === before.lastExit?.at ? undefined : status.lastExit
    const install = status.lastInstall?.at === before.lastInstall?.at ? undefined : status.lastInstall
    if (exit && isCrash(exit)) notifyInTab('error', t('server.TabCrashed'))
    else if (install?.outcome === 'done') notifyInTab('success', t('server.TabInstalled'))
    else if (install?.outcome === 'failed') notifyInTab('error', t('server.InstallFailed'))
    else if (status.state === 'online' && before.state !== 'online') notifyInTab('success', t('server.TabOnline'))
  }, [status, t])
}
