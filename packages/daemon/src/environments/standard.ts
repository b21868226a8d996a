import type { Keepers } from '../keeper/client.ts'
import { locateProgram } from './locate-program.ts'
import type { Environment } from './run.ts'

/** Processes with pipes; what they print to stdout and stderr comes in the order in which they printed it. */
export function standardEnvironment(keepers: Pick<Keepers, 'start'>): Environment {
  return { start: async (plan) => keepers.start(await locateProgram(plan)) }
}
