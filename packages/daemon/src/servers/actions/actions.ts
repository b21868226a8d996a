import { type ConsoleEncoding, findKnownEncoding } from '@innkeeper/contract/definitions/console-encodings'
import {
  findEnvironmentType,
  findReadyPattern,
  getEnvironment,
  getStopDelayMs,
  getStopTimeout,
  type ServerDefinition,
} from '@innkeeper/contract/definitions/definition'
import type { Step } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { patternProblem } from '@innkeeper/contract/text/pattern'
import type { Logger } from 'pino'
import type { Console } from '../../console/console.ts'
import { encodeInput } from '../../console/encodings.ts'
import type { LifecycleActions, StopOptions } from '../../lifecycle/actions.ts'
import { type ReadyWatch, type ReadyWatchOptions, watchForReadyLine } from '../../lifecycle/ready-line.ts'
import type { PatternMatcher } from '../../patterns/pattern-matcher.ts'
import type { Exit, Run } from '../../processes/run.ts'
import type { ConsoleInput } from '../launch/console-input.ts'
import { Launcher, type LauncherDeps } from './launcher.ts'
import { ServerEnvironment, type ServerEnvironmentDeps } from './server-environment.ts'
import { type CopyOptions, startCopy } from './start-copy.ts'
import { StepRunner, type StepRunnerDeps, type TaskContext } from './step-runner.ts'
import { StopAttempt } from './stop-attempt.ts'

interface Deps extends ServerEnvironmentDeps, LauncherDeps, StepRunnerDeps {
  /** Returns the current definition. Throws ErrServerDamaged when it cannot be used. */
  readonly definition: () => ServerDefinition
  readonly console: Pick<Console, 'say' | 'follow' | 'listen' | 'page'>
  readonly patterns: PatternMatcher
  readonly input: ConsoleInput
  readonly log: Logger
}

/** Lifecycle actions, uninstall and tasks as the definition describes them. */
export class ServerActions implements LifecycleActions {
  readonly #deps: Deps
  readonly #launcher: Launcher
  readonly #steps: StepRunner
  /** Of the process that runs: a change applies from the next start. */
  #encoding: ConsoleEncoding | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#launcher = new Launcher(deps)
    this.#steps = new StepRunner(deps, () => this.#current())
  }

  rules(): ReturnType<LifecycleActions['rules']> {
    const run = this.#runSettings()
    const hasReadyLine = readyPatternIn(run) !== undefined
    if (!run || run.disabled) return { autorestart: false, autorecover: false, expectedExitCode: 0, hasReadyLine }
    return {
      hasReadyLine,
      autorestart: run.autorestart === true,
      autorecover: run.autorecover === true,
      expectedExitCode: run.expectedExitCode ?? 0,
    }
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const server = this.#current()
    await server.environment().prepare?.({ say: (message) => this.#deps.console.say(message), signal })
    await this.#steps.run(server.definition.run.pre, { signal })
  }

  async launch(): Promise<Run> {
    return await this.#launcher.start(this.#current(), `${this.#deps.location.id}/main`)
  }

  encoding(): ConsoleEncoding | undefined {
    this.#encoding = findKnownEncoding(this.#runSettings() ?? {})
    return this.#encoding
  }

  /** Writes to the standard input of the process that runs. */
  write(run: Run, text: string): void {
    run.write(encodeInput(text, this.#encoding))
  }

  /** The bytes that the process gets for a text. */
  encode(text: string): Uint8Array {
    return Buffer.from(encodeInput(text, this.#encoding))
  }

  watchForReady(run: Run, options: ReadyWatchOptions): ReadyWatch | undefined {
    const pattern = readyPatternIn(this.#runSettings())
    // Without pipes there is no more output to match.
    if (!pattern || !run.hasConsole) return undefined
    const hasTerminal = findEnvironmentType(getEnvironment(this.#deps.definition())) !== 'standard'
    return watchForReadyLine({ ...this.#deps, id: this.#deps.location.id, hasTerminal }, run, pattern, options)
  }

  stopTimeoutMs(): number {
    return getStopTimeout(this.#runSettings() ?? {}) * 1000
  }

  requestStop(run: Run, options: StopOptions): Disposable {
    const settings = this.#deps.definition().run
    const signal = settings.stopCode || undefined
    const command = signal === undefined ? settings.stop || undefined : undefined
    const { console, input } = this.#deps
    const write = (line: string) => input.write(run, line, getStopDelayMs(settings))
    return new StopAttempt({ console, write }, run, { command, signal, timeoutMs: this.stopTimeoutMs() }, options)
  }

  async finish(exit: Exit, signal: AbortSignal): Promise<void> {
    const { post, expectedExitCode = 0 } = this.#deps.definition().run
    if (!post?.length) return
    this.#deps.console.say('Running post-execution steps')
    const success = exit.signal === null && exit.code === expectedExitCode
    const values = { success: String(success), exitCode: exit.code === null ? '' : String(exit.code) }
    await this.#steps.run(post, { signal, values })
  }

  async install(signal: AbortSignal): Promise<void> {
    await this.#steps.run(this.#deps.definition().install, { signal, discard: { reason: 'reinstalled' } })
  }

  /** Runs the uninstall steps. */
  async uninstall(signal: AbortSignal): Promise<void> {
    await this.#steps.run(this.#deps.definition().uninstall, { signal })
  }

  /** Runs the steps of a task. */
  async task(steps: readonly Step[], context: TaskContext): Promise<void> {
    await this.#steps.run(steps, { signal: context.signal, task: context, discard: {} })
  }

  /** Starts a copy of the server from other files, see `startCopy`. */
  async startCopy(options: CopyOptions): Promise<Run> {
    return await startCopy(this.#deps, options)
  }

  #current(): ServerEnvironment {
    return new ServerEnvironment(this.#deps.definition(), this.#deps)
  }

  /** Returns undefined for a damaged definition. */
  #runSettings(): ServerDefinition['run'] | undefined {
    return getValid(this.#deps.definition)?.run
  }
}

/** Returns undefined for a damaged definition. */
function getValid(definition: Deps['definition']): ServerDefinition | undefined {
  try {
    return definition()
  } catch (cause) {
    if (cause instanceof Refusal) return undefined
    throw cause
  }
}

/** Returns the ready pattern. Returns undefined when it is invalid. */
function readyPatternIn(run: ServerDefinition['run'] | undefined): string | undefined {
  const text = run && findReadyPattern(run)
  return text === undefined || patternProblem(text) !== undefined ? undefined : text
}
