import type { KeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Environment } from '../processes/run.ts'
import { locateProgram } from './locate-program.ts'

/** Processes with pipes. stdout and stderr keep their order. */
export function standardEnvironment(keepers: Pick<KeeperPool, 'start'>): Environment {
  return { start: async (plan) => keepers.start(await locateProgram(plan)) }
}
