import { type EnvironmentType, environmentTypeOf, type Environment as Wanted } from '@innkeeper/contract/definition'
import { Refusal } from '@innkeeper/contract/refusals'
import type { KeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Environment } from '../processes/run.ts'
import type { Docker, ServerContext } from './docker/docker.ts'
import { standardEnvironment } from './standard.ts'
import { ttyEnvironment } from './tty.ts'

/** The environments of this node, found by the type in a definition. */
export interface Environments {
  /** The types that can run a server now. */
  types(): EnvironmentType[]
  /** Throws ErrUnknownEnvironment for an unknown type, ErrFieldInvalid for an invalid container. */
  find(wanted: Wanted, server: ServerContext): Environment
}

export function createEnvironments(
  keepers: Pick<KeeperPool, 'start'>,
  docker: Pick<Docker, 'isResponding' | 'environment'>,
): Environments {
  const known = { standard: standardEnvironment(keepers), tty: ttyEnvironment(keepers) }
  return {
    types: () => ['standard', 'tty', ...(docker.isResponding ? (['docker'] as const) : [])],
    find(wanted, server) {
      const type = environmentTypeOf(wanted)
      if (type === undefined) throw new Refusal('ErrUnknownEnvironment', { type: wanted.type })
      return type === 'docker' ? docker.environment(wanted, server) : known[type]
    },
  }
}
