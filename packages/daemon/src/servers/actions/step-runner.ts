import { ConditionError, isEmptyCondition, PlayersUnknownError } from '@innkeeper/contract/definitions/conditions'
import { maskValues } from '@innkeeper/contract/definitions/console-commands'
import { usesConditions } from '@innkeeper/contract/definitions/definition'
import type { Step, StepFields } from '@innkeeper/contract/definitions/operations'
import { isUserVisible, type Variables } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Console } from '../../console/console.ts'
import type { ScriptSpec } from '../../environments/docker/container.ts'
import type { RootFs } from '../../files/root.ts'
import type { Fetcher } from '../../network/fetch.ts'
import type { CommandOptions, StepContext } from '../../operations/context/step-context.ts'
import { evaluateIn, runSteps, StepError } from '../../operations/steps.ts'
import type { PlayerActivity } from '../../players/player-activity.ts'
import type { Environment, Exit } from '../../processes/run.ts'
import type { SharedStore } from '../../runtimes/shared-store.ts'
import type { DiscardContext, TrashSink } from '../../trash/trash-sink.ts'
import type { ServerLocation } from '../launch/launch.ts'
import { runScript } from './script.ts'
import type { ServerEnvironment } from './server-environment.ts'
import { stepProcessKey, waitForExit } from './step-process.ts'

export interface StepRunnerDeps {
  readonly location: ServerLocation
  readonly console: Pick<Console, 'say' | 'follow'>
  /** The container of a script. */
  readonly scriptEnvironment: (script: ScriptSpec, rootDir: string) => Environment
  readonly fetch: Fetcher
  readonly sharedStore: SharedStore
  readonly curseforgeKey?: string | undefined
  /** Sets a variable of the definition persistently; creates it when it is missing. */
  readonly setVariable: (name: string, value: string) => Promise<void>
  /** Writes a line to the stdin of the running server. Throws ErrServerOffline. */
  readonly send: (line: string) => void
  /** Who plays, for conditions of tasks. */
  readonly players: Pick<PlayerActivity, 'facts'>
  /** Receives files that steps replace. */
  readonly trashSink: (context: DiscardContext) => TrashSink
}

/** What the steps of a task can use in addition to those of other lists. */
export interface TaskContext
  extends Required<Pick<StepContext, 'say' | 'power' | 'countDown' | 'backUp' | 'onStep' | 'signal'>> {
  /** Which variables are substituted: those that the owner of the task may see. */
  readonly visibility: 'all' | 'users'
  /** Without one it runs in any case. */
  readonly condition: string | null | undefined
  /** Called when the condition is met. */
  readonly onBegin: () => void
  /** Part of the keys of its processes: several tasks may run at the same time. */
  readonly name: string
  /** Receives the output of its programs, like the console. The bytes are valid only during the call. */
  readonly print: (data: Uint8Array) => void
  /** Called when the task writes to the server's stdin. */
  readonly onInput: () => void
}

interface StepListOptions {
  readonly signal: AbortSignal
  /** Values in addition to those of the definition. */
  readonly values?: Readonly<Record<string, string>>
  readonly task?: TaskContext | undefined
  /** Whether replaced files go to the trash, and why they are replaced. */
  readonly discard?: DiscardContext
}

/** Runs lists of steps on the files of a server. */
export class StepRunner {
  readonly #deps: StepRunnerDeps
  readonly #current: () => ServerEnvironment

  /** `current` applies the current definition. Throws ErrServerDamaged. */
  constructor(deps: StepRunnerDeps, current: () => ServerEnvironment) {
    this.#deps = deps
    this.#current = current
  }

  /**
   * Throws ErrStepFailed, or the signal's reason. For a task whose condition is not met ErrTaskConditionFalse or
   * ErrPlayersUnknown.
   */
  async run(steps: readonly Step[] = [], options: StepListOptions): Promise<void> {
    const server = this.#current()
    await using files = await server.openFiles(options.discard && this.#deps.trashSink(options.discard), {
      isForUser: options.task?.visibility === 'users',
    })
    const context = this.#getContext(server, files, options)
    if (options.task) {
      await assertMet(options.task.condition, context)
      options.task.onBegin()
    }
    if (steps.length === 0) return
    await runSteps(steps, context).catch((cause: unknown) => {
      if (!(cause instanceof StepError)) throw cause
      const { step, type, reason } = cause
      const shown = maskValues(reason, server.definition.data)
      throw new Refusal('ErrStepFailed', { step, type, reason: shown }, { cause })
    })
  }

  #getContext(server: ServerEnvironment, files: RootFs, options: StepListOptions): StepContext {
    const { fetch, sharedStore, curseforgeKey, send, setVariable, players } = this.#deps
    const { signal, task } = options
    const values = getValues(server, options)
    return {
      files,
      values,
      fetch,
      sharedStore,
      curseforgeKey,
      signal,
      send,
      conditionContext: server.conditionContext,
      stopOnError: usesConditions(server.definition),
      say: this.#say,
      variables: server.definition.data,
      runCommand: (argv, command) => this.#runCommand(argv, { files, values, ...command }, options),
      inPath: (name) => server.isInPath(name),
      async setVariable(name, value) {
        await setVariable(name, value)
        values.set(name, value)
      },
      pullImage: this.#imagePuller(server, signal),
      runScript: (script) => this.#runScript(script, files, values, options),
      ...(task && { getPlaying: () => players.facts, ...taskActions(task, send, server.definition.data) }),
    }
  }

  async #runCommand(
    argv: readonly string[],
    { files, values, env = {}, chosen = [] }: CommandOptions & Pick<StepContext, 'files' | 'values'>,
    { signal, task }: StepListOptions,
  ): Promise<Exit> {
    const { console, location } = this.#deps
    const [file, ...args] = argv
    if (file === undefined) throw new Refusal('ErrFieldRequired', { field: 'command' })
    signal.throwIfAborted()
    // An earlier step may have changed the definition.
    const server = this.#current()
    await server.assertContained(files, { chosen, values, cwd: location.rootDir })
    const environment = server.environment()
    await environment.prepare?.({ say: this.#say, signal })
    const process = await environment.start({
      file,
      args,
      cwd: location.rootDir,
      ...server.resources,
      key: stepProcessKey(location.id, task?.name),
      env: { ...server.environmentVariables(values), ...env },
    })
    return await waitForExit(process, { console, signal, print: task?.print })
  }

  async #runScript(
    script: StepFields<'dockerrun'>,
    files: RootFs,
    values: ReadonlyMap<string, string>,
    { signal, task }: StepListOptions,
  ): Promise<Exit> {
    const { console, location, scriptEnvironment } = this.#deps
    // An earlier step may have changed the definition.
    const server = this.#current()
    const key = stepProcessKey(location.id, task?.name)
    const run = { key, files, say: this.#say, console, signal, print: task?.print, rootDir: location.rootDir }
    return await runScript(script, { ...run, server, values, scriptEnvironment })
  }

  #imagePuller(server: ServerEnvironment, signal: AbortSignal): StepContext['pullImage'] {
    const { pull } = server.environment()
    return pull && ((image) => pull(image, { say: this.#say, signal }))
  }

  readonly #say = (message: string): void => this.#deps.console.say(message)
}

async function assertMet(condition: string | null | undefined, context: StepContext): Promise<void> {
  if (isEmptyCondition(condition)) return
  const isMet = await evaluateIn(condition, context).catch((cause: unknown) => {
    if (cause instanceof PlayersUnknownError) throw new Refusal('ErrPlayersUnknown')
    if (cause instanceof ConditionError) throw new Refusal('ErrFieldInvalid', { field: 'if', reason: cause.message })
    throw cause
  })
  if (!isMet) throw new Refusal('ErrTaskConditionFalse')
}

function getValues(server: ServerEnvironment, { values: more = {}, task }: StepListOptions): Map<string, string> {
  const values = new Map([...server.templateVariables(), ...Object.entries(more)])
  if (task?.visibility !== 'users') return values
  for (const [name, variable] of Object.entries(server.definition.data))
    if (!isUserVisible(variable)) values.delete(name)
  return values
}

/** What a task replaces in the context of its steps. */
function taskActions(
  { say, power, countDown, backUp, onStep, onInput }: TaskContext,
  send: StepContext['send'],
  variables: Variables,
) {
  return {
    power,
    countDown,
    backUp,
    onStep,
    say: (message: string) => say(maskValues(message, variables)),
    send: (line: string) => {
      onInput()
      send(line)
    },
  }
}
