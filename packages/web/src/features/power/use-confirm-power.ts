import { getFile } from '@innkeeper/contract/servers/files'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { request } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { type PowerAction, powerDisplays } from './power.ts'

/** The question is asked when the list of files takes longer. */
const listTimeoutMs = 3_000

/**
 * Asks before Kill and Install, which may lose data. The other actions need no confirmation, nor does an install into an
 * empty folder.
 */
export function useConfirmPower() {
  const t = useT()
  const confirm = useConfirm()
  return async (
    { id, name }: { readonly id?: string; readonly name: string },
    action: PowerAction,
    status: ServerStatus | undefined,
  ): Promise<boolean> => {
    if (action !== 'kill' && action !== 'install') return true
    if (action === 'install' && id !== undefined && !status?.running && (await hasNoFiles(id))) return true
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

/** Whether the folder of the server is empty; `false` also when that cannot be seen. */
async function hasNoFiles(id: string): Promise<boolean> {
  const signal = AbortSignal.timeout(listTimeoutMs)
  return await request(getFile, { params: { id, path: '' } }, { signal }).then(
    (entries) => entries.length === 0,
    () => false,
  )
}
