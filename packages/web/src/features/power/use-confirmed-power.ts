import type { ServerStatus } from '@innkeeper/contract/status'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { actionNames, type PowerAction } from './power.ts'

/**
 * Asks before an action on one server that may lose data: Kill and Install. Start, Stop and Restart go on at once, as
 * on the page of the server.
 */
export function useConfirmedPower() {
  const t = useT()
  const confirm = useConfirm()
  return async (name: string, action: PowerAction, status: ServerStatus | undefined): Promise<boolean> => {
    if (action !== 'kill' && action !== 'install') return true
    const isKill = action === 'kill'
    const installing = status?.running ? 'server.PowerInstallRunning' : 'server.PowerInstallBody'
    return await confirm({
      title: t(isKill ? 'server.PowerKillNamed' : 'server.PowerInstallNamed', { name }),
      body: t(isKill ? 'server.PowerKillWarning' : installing),
      action: t(actionNames[action]),
      danger: isKill,
    })
  }
}
