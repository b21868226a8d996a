import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { LivenessAction, LivenessReportSummary } from '@innkeeper/contract/servers/liveness-reports'
import type { Console } from '../console/console.ts'
import type { PowerAction } from '../lifecycle/rules.ts'

/** A server that does not respond is restarted at most this often in an hour. */
export const maxRestarts = 3
const windowMs = 60 * 60 * 1000

/** What to do about a server that does not respond. */
export function decideAction(
  isRestartOn: boolean,
  reports: readonly Pick<LivenessReportSummary, 'at' | 'action'>[],
  now: number,
): LivenessAction {
  if (!isRestartOn) return 'none'
  const recent = reports.filter(({ at, action }) => action === 'restart' && now - Date.parse(at) < windowMs)
  return recent.length < maxRestarts ? 'restart' : 'limit'
}

export interface RestartedServer {
  readonly console: Pick<Console, 'say'>
  power(action: PowerAction): { readonly ended: Promise<void> }
}

/** Restarts a server that may be unable to stop: it is killed when its stop time is over, unless a user wants something else. */
export async function restartHungServer(server: RestartedServer): Promise<void> {
  try {
    await server.power('restart').ended
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== 'ErrPowerTooSlow') throw cause
    server.console.say('The server does not respond and has not stopped: it is killed, and started again')
    const killed = server.power('kill').ended
    // A kill ends the restart.
    await Promise.all([killed, server.power('start').ended])
  }
}
