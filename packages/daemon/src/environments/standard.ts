import type { KeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Environment } from '../processes/run.ts'
import { locateProgram } from './locate-program.ts'

/** Processes with pipes; what they print to stdout and stderr comes in the order in which they printed it. */
export function standardEnvironment(keepers: Pick<KeeperPool, 'start'>): Environment {
  return { start: async (plan) => keepers.start(await locateProgram(plan)) }
}
