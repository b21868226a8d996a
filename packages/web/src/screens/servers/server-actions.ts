import type { ServerFlag } from '@innkeeper/contract/permissions'
import type { PowerAction } from '../../features/servers/power.ts'
import type { ShownState } from '../../ui/status.tsx'

export type May = (id: string, flag: ServerFlag) => boolean

/** What can be done with a server as it is now; nothing while its node does not answer. */
export function actionsIn(state: ShownState, id: string, may: May): readonly PowerAction[] {
  if (state === 'unknown') return []
  const start: readonly PowerAction[] = may(id, 'startServer') ? ['start'] : []
  const restart: readonly PowerAction[] = may(id, 'startServer') ? ['restart'] : []
  const stop: readonly PowerAction[] = may(id, 'stopServer') ? ['stop'] : []
  if (state === 'offline') return start
  if (state === 'installing' || state === 'stopping' || state === 'restarting') return stop
  return [...restart, ...stop]
}
