import type { ServerStatus } from '@innkeeper/contract/status'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import type { PowerAction } from './power.ts'
import { powerDisplays } from './power-displays.ts'

/** Asks before Kill and Install, which may lose data. The other actions need no confirmation. */
export function useConfirmPower() {
  const t = useT()
  const confirm = useConfirm()
  return async (name: string, action: PowerAction, status: ServerStatus | undefined): Promise<boolean> => {
    if (action !== 'kill' && action !== 'install') return true
    const isKill = action === 'kill'
    const installBody = status?.running ? 'server.PowerInstallRunning' : 'server.PowerInstallBody'
    return await confirm({
      title: t(isKill ? 'server.PowerKillNamed' : 'server.PowerInstallNamed', { name }),
      body: t(isKill ? 'server.PowerKillWarning' : installBody),
      action: t(powerDisplays[action].label),
      danger: isKill,
    })
  }
}
