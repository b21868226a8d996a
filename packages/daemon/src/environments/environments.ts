import {
  type Environment as EnvironmentDefinition,
  type EnvironmentType,
  findEnvironmentType,
} from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { defaultTerminalSize } from '@innkeeper/contract/servers/live'
import type { KeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Environment } from '../processes/run.ts'
import type { ScriptSpec } from './docker/container.ts'
import type { Docker, ServerContext } from './docker/docker.ts'
import { locateProgram } from './locate-program.ts'

/** The environments of this node, found by the type in a definition. */
export interface Environments {
  /** The types that can run a server now. */
  types(): EnvironmentType[]
  /** Throws ErrUnknownEnvironment for an unknown type, ErrFieldInvalid for an invalid container. */
  find(definition: EnvironmentDefinition, server: ServerContext): Environment
  /** The container of a script, with the directory of a server. */
  script(script: ScriptSpec, rootDir: string): Environment
}

export function createEnvironments(
  keepers: Pick<KeeperPool, 'start'>,
  docker: Pick<Docker, 'isResponding' | 'environment' | 'scriptEnvironment'>,
): Environments {
  const known = { standard: standardEnvironment(keepers), tty: ttyEnvironment(keepers) }
  return {
    types: () => ['standard', 'tty', ...(docker.isResponding ? (['docker'] as const) : [])],
    find(definition, server) {
      const type = findEnvironmentType(definition)
      if (type === undefined) throw new Refusal('ErrUnknownEnvironment', { type: definition.type })
      return type === 'docker' ? docker.environment(definition, server) : known[type]
    },
    script: (script, rootDir) => docker.scriptEnvironment(script, rootDir),
  }
}

/** Processes with pipes. stdout and stderr keep their order. */
function standardEnvironment(keepers: Pick<KeeperPool, 'start'>): Environment {
  return { start: async (plan) => keepers.start(await locateProgram(plan)) }
}

/** Processes in a pseudo-terminal. TERM is set unless given, and PWD, which terminal programs expect. */
function ttyEnvironment(keepers: Pick<KeeperPool, 'start'>): Environment {
  return {
    async start(plan) {
      const { env, terminalSize = defaultTerminalSize, ...rest } = await locateProgram(plan)
      return keepers.start({ ...rest, env: { TERM: 'xterm-256color', ...env, PWD: plan.cwd } }, terminalSize)
    },
  }
}
