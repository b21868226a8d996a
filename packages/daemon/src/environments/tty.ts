import { defaultTerminalSize } from '@innkeeper/contract/live'
import type { KeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Environment } from '../processes/run.ts'
import { locateProgram } from './locate-program.ts'

/** Processes on a terminal of their own. They get TERM, unless it is set, and PWD, which programs on terminals expect. */
export function ttyEnvironment(keepers: Pick<KeeperPool, 'start'>): Environment {
  return {
    async start(plan) {
      const { env, terminalSize = defaultTerminalSize, ...rest } = await locateProgram(plan)
      return keepers.start({ ...rest, env: { TERM: 'xterm-256color', ...env, PWD: plan.cwd } }, terminalSize)
    },
  }
}
