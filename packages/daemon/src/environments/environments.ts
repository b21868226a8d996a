import { type EnvironmentType, environmentTypeOf, type Environment as Wanted } from '@innkeeper/contract/definition'
import { Refusal } from '@innkeeper/contract/refusals'
import type { KeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Environment } from '../processes/run.ts'
import type { Docker, ServerContext } from './docker/docker.ts'
import { standardEnvironment } from './standard.ts'
import { ttyEnvironment } from './tty.ts'

/** The environments of this node, to be found by what a definition asks for. */
export interface Environments {
  /** Those that can run a server now. */
  types(): EnvironmentType[]
  /** Throws ErrUnknownEnvironment for a type that nobody knows, ErrFieldInvalid for a container that cannot be. */
  find(wanted: Wanted, server: ServerContext): Environment
}

export function createEnvironments(
  keepers: Pick<KeeperPool, 'start'>,
  docker: Pick<Docker, 'isAnswering' | 'environment'>,
): Environments {
  const known = { standard: standardEnvironment(keepers), tty: ttyEnvironment(keepers) }
  return {
    types: () => ['standard', 'tty', ...(docker.isAnswering ? (['docker'] as const) : [])],
    find(wanted, server) {
      const type = environmentTypeOf(wanted)
      if (type === undefined) throw new Refusal('ErrUnknownEnvironment', { type: wanted.type })
      return type === 'docker' ? docker.environment(wanted, server) : known[type]
    },
  }
}
