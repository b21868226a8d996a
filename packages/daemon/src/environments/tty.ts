import { defaultTerminalSize } from '@innkeeper/contract/servers/live'
import type { KeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Environment } from '../processes/run.ts'
import { locateProgram } from './locate-program.ts'

/** Processes in a pseudo-terminal. TERM is set unless given, and PWD, which terminal programs expect. */
export function ttyEnvironment(keepers: Pick<KeeperPool, 'start'>): Environment {
  return {
    async start(plan) {
      const { env, terminalSize = defaultTerminalSize, ...rest } = await locateProgram(plan)
      return keepers.start({ ...rest, env: { TERM: 'xterm-256color', ...env, PWD: plan.cwd } }, terminalSize)
    },
  }
}
