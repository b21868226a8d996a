import { ConditionError, type EvaluationContext } from '@innkeeper/contract/conditions'
import {
  environmentOf,
  environmentTypeOf,
  readyPatternOf,
  type ServerDefinition,
  usesConditions,
  type Environment as Wanted,
} from '@innkeeper/contract/definition'
import { problemsOfReadyPattern } from '@innkeeper/contract/definition-problems'
import { type ListenAddress, tryParseListenAddress } from '@innkeeper/contract/listen-address'
import type { TerminalSize } from '@innkeeper/contract/live'
import type { Step } from '@innkeeper/contract/operations'
import { patternProblem } from '@innkeeper/contract/pattern'
import { Refusal } from '@innkeeper/contract/refusals'
import { isUserEditable } from '@innkeeper/contract/variables'
import type { Logger } from 'pino'
import type { Console, OutputSource } from '../console/console.ts'
import type { ServerContext } from '../environments/docker/docker.ts'
import { parsePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import type { LifecycleActions } from '../lifecycle/actions.ts'
import { watchForReadyLine } from '../lifecycle/ready-line.ts'
import type { Fetcher } from '../network/fetch.ts'
import type { CommandOptions, StepContext } from '../operations/step-context.ts'
import { runSteps, StepError } from '../operations/steps.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Environment, Exit, LaunchOptions, Run } from '../processes/run.ts'
import type { SharedStore } from '../runtimes/shared-store.ts'
import {
  type CommandLine,
  commandLineOf,
  conditionContext,
  environmentVariables,
  locationInEnvironment,
  type ServerLocation,
  templateVariables,
  workingDirectoryOf,
} from './launch.ts'
import { isOnPath } from './requirements.ts'

interface Deps {
  readonly location: ServerLocation
  /** Returns the current definition. Throws ErrServerDamaged when it cannot be used. */
  readonly definition: () => ServerDefinition
  readonly console: Pick<Console, 'say' | 'follow' | 'listen' | 'page'>
  readonly patterns: PatternMatcher
  readonly log: Logger
  /** Throws ErrUnknownEnvironment, or ErrFieldInvalid for an invalid container. */
  readonly environmentFor: (wanted: Wanted, occupant: ServerContext) => Environment
  readonly fetch: Fetcher
  readonly sharedStore: SharedStore
  readonly curseforgeKey?: string | undefined
  /** Sets a variable of the definition persistently; creates it when it is missing. */
  readonly setVariable: (name: string, value: string) => Promise<void>
  /** Describes the limits and variables of a start that this node does not support. */
  readonly unsupportedFeatures: (plan: Pick<LaunchOptions, 'limits' | 'env'>) => readonly string[]
  /** Describes conflicts with programs that already listen on the address. */
  readonly portConflicts: (wanted: ListenAddress) => Promise<readonly string[]>
  /** Writes a line to the stdin of the running server. Throws ErrServerOffline. */
  readonly send: (line: string) => void
  /** The terminal size at the start of the server. */
  readonly terminalSize: () => TerminalSize
}

/** What the steps of a task can use in addition to those of other lists. */
export interface TaskContext extends Required<Pick<StepContext, 'say' | 'power' | 'onStep' | 'signal'>> {
  /** Which variables are substituted: those that the owner of the task may see. */
  readonly visibility: 'all' | 'userEditable'
  /** Part of the keys of its processes: several tasks may run at the same time. */
  readonly name: string
  /** Receives the output of its programs, like the console. The bytes are valid only during the call. */
  readonly print: (data: Uint8Array) => void
  /** Called when the task writes to the server's stdin. */
  readonly onInput: () => void
}

/** SIGTERM, the default stop signal. */
const terminate = 15

/** Lifecycle actions, uninstall and tasks as the definition describes them. */
export interface ServerActions extends LifecycleActions {
  /** Runs the uninstall steps. */
  uninstall(signal: AbortSignal): Promise<void>
  /** Runs the steps of a task. */
  task(steps: readonly Step[], context: TaskContext): Promise<void>
}

/** Whether a run is the process of a step. It has no owner after a restart of the daemon. */
export function isStepProcess({ key }: Pick<Run, 'key'>): boolean {
  return /\/(step|task-[^/]*)$/.test(key)
}

export function serverActions(deps: Deps): ServerActions {
  const {
    location,
    definition,
    console,
    environmentFor,
    fetch,
    sharedStore,
    curseforgeKey,
    unsupportedFeatures,
    portConflicts,
    send,
  } = deps
  return {
    rules() {
      const run = tryRun(definition)
      const hasReadyLine = readyPatternIn(run) !== undefined
      if (!run || run.disabled) return { autorestart: false, autorecover: false, expectedExitCode: 0, hasReadyLine }
      return {
        hasReadyLine,
        autorestart: run.autorestart === true,
        autorecover: run.autorecover === true,
        expectedExitCode: run.expectedExitCode ?? 0,
      }
    },

    async prepare(signal) {
      const current = definition()
      await environmentOfServer(current).prepare?.({ say: (message) => console.say(message), signal })
      await run(current.run.pre, { signal })
    },

    async launch() {
      const current = definition()
      const inside = locationInEnvironment(current, location)
      const values = templateVariables(current, inside)
      const { file, args, shown } = await commandFor(current, values)
      const cwd = await resolveWorkingDirectory(workingDirectoryOf(current.run, values))
      const resources = resourcesOf(current)
      const env = environmentVariables(current.run, values, inside)
      if (resources.enforcedByDaemon)
        for (const line of unsupportedFeatures({ limits: resources.limits, env })) console.say(line)
      for (const line of await portConflicts(tryParseListenAddress(current.data))) console.say(line)
      const reason = problemsOfReadyPattern(current.run)[0]?.metadata.reason
      if (reason !== undefined)
        console.say(`The ready pattern is ignored, the server counts as online once it runs: ${reason}`)
      console.say(`Starting process: ${shown}`)
      return await environmentOfServer(current).start({
        key: `${location.id}/main`,
        file,
        args,
        cwd,
        env,
        limits: resources.limits,
        owner: resources.owner,
        terminalSize: deps.terminalSize(),
      })
    },

    watchForReady(process, options) {
      const pattern = readyPatternIn(tryRun(definition))
      // Without pipes there is no more output to match.
      if (!pattern || !process.hasConsole) return undefined
      return watchForReadyLine({ ...deps, id: location.id }, process, pattern, options)
    },

    requestStop(process) {
      const { stop, stopCode } = definition().run
      if (stopCode) process.signal(stopCode)
      else if (stop) process.write(`${stop}\n`)
      else process.signal(terminate)
    },

    async finish(exit, signal) {
      const { post, expectedExitCode = 0 } = definition().run
      if (!post?.length) return
      console.say('Running post-execution steps')
      const success = exit.signal === null && exit.code === expectedExitCode
      const more = [
        ['success', String(success)],
        ['exitCode', exit.code === null ? '' : String(exit.code)],
      ] as const
      await run(post, { signal, more })
    },

    install: (signal) => run(definition().install, { signal }),
    uninstall: (signal) => run(definition().uninstall, { signal }),
    task: (steps, task) => run(steps, { signal: task.signal, task }),
  }

  /** Limits and user of the server's processes. The Docker Engine enforces the limits of containers itself. */
  function resourcesOf(current: ServerDefinition) {
    const environment = environmentOf(current)
    const enforcedByDaemon = environmentTypeOf(environment) !== 'docker'
    return { enforcedByDaemon, limits: environment.limits ?? {}, owner: location.owner }
  }

  /** Returns the command that starts the server. Prints on the console why there is none. */
  async function commandFor(current: ServerDefinition, values: ReadonlyMap<string, string>): Promise<CommandLine> {
    await using files = await openFiles()
    const context: EvaluationContext = {
      ...conditionContext(current, location),
      values,
      success: true,
      fileExists: async (path) => (await files.stat(parsePath(path))) !== undefined,
      inPath: (name) => inPath(current, name),
    }
    try {
      return await commandLineOf(current, context)
    } catch (cause) {
      if (cause instanceof Refusal && Array.isArray(current.run.command))
        console.say('No command can be run: each has a condition and none holds')
      if (!(cause instanceof ConditionError)) throw cause
      console.say(`Failed to choose the command: ${cause.message}`)
      throw new Refusal('ErrFieldInvalid', { field: 'run.command' }, { cause })
    }
  }

  /** Whether the server's processes find a program in PATH. The PATH of an image is unknown. */
  async function inPath(current: ServerDefinition, name: string): Promise<boolean> {
    const { path = sharedStore.runtimes.folderOf(location.id) } = locationInEnvironment(current, location)
    return await isOnPath(name, path)
  }

  function imagePuller(current: ServerDefinition, signal: AbortSignal): StepContext['pullImage'] {
    const { pull } = environmentOfServer(current)
    return pull && ((image) => pull(image, { say: (message) => console.say(message), signal }))
  }

  /** Opens the server's files. They are owned by the server's user from its first process on. */
  async function openFiles(): Promise<RootFs> {
    return await RootFs.open(location.rootDir, { create: true, owner: resourcesOf(definition()).owner })
  }

  function environmentOfServer(current: ServerDefinition): Environment {
    const values = templateVariables(current, locationInEnvironment(current, location))
    return environmentFor(environmentOf(current), { rootDir: location.rootDir, variables: current.data, values })
  }

  async function run(steps: readonly Step[] = [], { signal, more = [], task }: StepListOptions): Promise<void> {
    await using files = await openFiles()
    if (steps.length === 0) return
    const current = definition()
    const values = new Map([...templateVariables(current, locationInEnvironment(current, location)), ...more])
    if (task?.visibility === 'userEditable')
      for (const [name, variable] of Object.entries(current.data)) if (!isUserEditable(variable)) values.delete(name)
    const context: StepContext = {
      files,
      values,
      conditionContext: conditionContext(current, location),
      stopOnError: usesConditions(current),
      say: (message) => console.say(message),
      runCommand: (argv, options) => runCommand(argv, values, { signal, task }, options),
      inPath: (name) => inPath(current, name),
      async setVariable(name, value) {
        await deps.setVariable(name, value)
        values.set(name, value)
      },
      pullImage: imagePuller(current, signal),
      ...{ fetch, sharedStore, curseforgeKey, signal, send },
      ...(task && {
        say: task.say,
        power: task.power,
        onStep: task.onStep,
        send: (line) => {
          task.onInput()
          send(line)
        },
      }),
    }
    await runSteps(steps, context).catch((cause: unknown) => {
      if (!(cause instanceof StepError)) throw cause
      const { step, type, reason } = cause
      throw new Refusal('ErrStepFailed', { step, type, reason }, { cause })
    })
  }

  async function runCommand(
    argv: readonly string[],
    values: ReadonlyMap<string, string>,
    { signal, task }: StepListOptions,
    { env = {} }: CommandOptions = {},
  ): Promise<Exit> {
    const [file, ...args] = argv
    if (file === undefined) throw new Refusal('ErrFieldRequired', { field: 'command' })
    signal.throwIfAborted()
    const current = definition()
    const environment = environmentOfServer(current)
    await environment.prepare?.({ say: (message) => console.say(message), signal })
    const process = await environment.start({
      key: `${location.id}/${task ? `task-${task.name}` : 'step'}`,
      file,
      args,
      cwd: location.rootDir,
      env: { ...environmentVariables(current.run, values, locationInEnvironment(current, location)), ...env },
      limits: resourcesOf(current).limits,
      owner: resourcesOf(current).owner,
    })
    return await waitForExit(process, signal, task?.print)
  }

  /** Waits until a step process exits; kills it on abort. */
  async function waitForExit(process: Run, signal: AbortSignal, print?: TaskContext['print']): Promise<Exit> {
    let killing: Promise<void> | undefined
    const kill = () => {
      killing = process.kill()
      killing.catch((cause: unknown) => console.say(`Failed to kill a step: ${String(cause)}`))
    }
    signal.addEventListener('abort', kill)
    if (signal.aborted) kill()
    await console.follow(print ? teeOutput(process, print) : process, { isNew: true })
    const exit = await process.exited
    signal.removeEventListener('abort', kill)
    process.release()
    signal.throwIfAborted()
    return exit
  }

  async function resolveWorkingDirectory(text: string): Promise<string> {
    try {
      await using files = await openFiles()
      return await files.workingDirectory(parsePath(text))
    } catch (cause) {
      if (cause instanceof Refusal) console.say(`Working directory is invalid for server: ${text}`)
      throw cause
    }
  }
}

/** Options for running a list of steps. */
interface StepListOptions {
  readonly signal: AbortSignal
  /** Values in addition to those of the definition. */
  readonly more?: readonly (readonly [string, string])[]
  readonly task?: TaskContext | undefined
}

/** Wraps a run so that `print` receives its output too. */
function teeOutput(run: Run, print: TaskContext['print']): OutputSource {
  return {
    id: run.id,
    key: run.key,
    exited: run.exited,
    acknowledge: (offset) => run.acknowledge(offset),
    onNotice: (say) => run.onNotice?.(say),
    follow: (offset, onOutput) =>
      run.follow(offset, (data, from) => {
        print(data)
        onOutput(data, from)
      }),
  }
}

/** Returns the ready pattern. Returns undefined when it is invalid. */
function readyPatternIn(run: ServerDefinition['run'] | undefined): string | undefined {
  const text = run && readyPatternOf(run)
  return text === undefined || patternProblem(text) !== undefined ? undefined : text
}

function tryRun(definition: () => ServerDefinition): ServerDefinition['run'] | undefined {
  try {
    return definition().run
  } catch (cause) {
    if (cause instanceof Refusal) return undefined
    throw cause
  }
}
