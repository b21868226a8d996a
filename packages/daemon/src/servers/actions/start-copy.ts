import type { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import type { StepType } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { defaultTerminalSize } from '@innkeeper/contract/servers/live'
import type { Owner } from '../../fs/owner.ts'
import type { LaunchOptions, Run } from '../../processes/run.ts'
import { Launcher } from './launcher.ts'
import { ServerEnvironment, type ServerEnvironmentDeps } from './server-environment.ts'
import { copyProcessKey } from './step-process.ts'
import { StepRunner, type StepRunnerDeps } from './step-runner.ts'

/** The steps before a start that a copy can run: they only use its own files and processes. */
const copyStepTypes: ReadonlySet<string> = new Set<StepType>([
  ...([
    'command',
    'writefile',
    'alterfile',
    'editconfig',
    'move',
    'mkdir',
    'archive',
    'extract',
    'sleep',
    'console',
  ] as const),
  ...(['resolveforgeversion', 'resolveneoforgeversion'] as const),
])

export interface CopyOptions {
  readonly definition: ServerDefinition
  /** Its files. */
  readonly directory: string
  /** Its user; undefined on a node without users of servers. */
  readonly owner: Owner | undefined
  /** Receives what the console of the server would print. */
  readonly say: (message: string) => void
  readonly signal: AbortSignal
}

/** The type of a step before a start that a copy cannot run. */
export function stepNotForCopies({ run }: ServerDefinition): string | undefined {
  return run.pre?.find(({ type }) => !copyStepTypes.has(type))?.type
}

/**
 * Starts a copy of a server from other files, like the server but as another user and without a network, see
 * `ServerCopy`. The caller must follow, kill and release it.
 */
export async function startCopy(deps: ServerEnvironmentDeps & StepRunnerDeps, options: CopyOptions): Promise<Run> {
  const { definition, directory, owner, say, signal } = options
  const { id, rootDir: serverDirectory } = deps.location
  const location = { ...deps.location, rootDir: directory, owner }
  const asCopy = (plan: LaunchOptions): LaunchOptions => ({
    ...plan,
    key: copyProcessKey(id),
    copy: { directory, serverDirectory },
  })
  const environmentFor: ServerEnvironmentDeps['environmentFor'] = (environment, context) => {
    const host = deps.environmentFor(environment, context)
    return { start: (plan) => host.start(asCopy(plan)) }
  }
  const environment = new ServerEnvironment(definition, { ...deps, location, environmentFor })
  const console = { say, follow: discardOutput }
  const stepDeps: StepRunnerDeps = {
    ...deps,
    location,
    console,
    // Only the steps of this start see it.
    setVariable: async () => {},
    send: () => {
      throw new Refusal('ErrServerOffline')
    },
  }
  await new StepRunner(stepDeps, () => environment).run(definition.run.pre, { signal })
  const launcher = new Launcher({
    console,
    unsupportedFeatures: () => [],
    portConflicts: async () => [],
    terminalSize: () => defaultTerminalSize,
  })
  return await launcher.start(environment, copyProcessKey(id))
}

async function discardOutput(run: Pick<Run, 'follow' | 'acknowledge' | 'exited'>): Promise<void> {
  run.follow(0, (data, from) => run.acknowledge(from + data.length))
  await run.exited
}
