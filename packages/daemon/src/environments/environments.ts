import { type EnvironmentType, environmentTypeOf, type Environment as Wanted } from '@innkeeper/contract/definition'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Keepers } from '../keeper/client.ts'
import type { Environment } from './run.ts'
import { standardEnvironment } from './standard.ts'
import { ttyEnvironment } from './tty.ts'

/** The environments of this node, to be found by what a definition asks for. */
export interface Environments {
  readonly types: readonly EnvironmentType[]
  /** Throws ErrUnknownEnvironment for a type that nobody knows, ErrDockerNotSupported for containers. */
  find(wanted: Wanted): Environment
}

export function createEnvironments(keepers: Pick<Keepers, 'start'>): Environments {
  const known = { standard: standardEnvironment(keepers), tty: ttyEnvironment(keepers) }
  return {
    types: ['standard', 'tty'],
    find(wanted) {
      const type = environmentTypeOf(wanted)
      if (type === undefined) throw new Refusal('ErrUnknownEnvironment', { type: wanted.type })
      if (type === 'docker') throw new Refusal('ErrDockerNotSupported')
      return known[type]
    },
  }
}
