import { ConditionError, type EvaluationContext } from '@innkeeper/contract/definitions/conditions'
import { problemsOfReadyPattern } from '@innkeeper/contract/definitions/definition-problems'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type ListenAddress, tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import type { TerminalSize } from '@innkeeper/contract/servers/live'
import type { Console } from '../../console/console.ts'
import { isRefusal } from '../../errors/refusals.ts'
import { parsePath } from '../../files/path/safe-path.ts'
import type { LaunchOptions, Run } from '../../processes/run.ts'
import { type CommandLine, getWorkingDirectory, readCommandLine, startupVariable } from '../launch/launch.ts'
import type { ServerEnvironment } from './server-environment.ts'

export interface LauncherDeps {
  readonly console: Pick<Console, 'say'>
  /** Describes the limits and variables of a start that this node does not support. */
  readonly unsupportedFeatures: (plan: Pick<LaunchOptions, 'limits' | 'env'>) => readonly string[]
  /** Describes conflicts with programs that already listen on the address. */
  readonly portConflicts: (address: ListenAddress) => Promise<readonly string[]>
  /** The terminal size at the start of the server. */
  readonly terminalSize: () => TerminalSize
}

/** Starts the main process of a server. Prints warnings, and reasons of failures, on the console. */
export class Launcher {
  readonly #deps: LauncherDeps

  constructor(deps: LauncherDeps) {
    this.#deps = deps
  }

  async start(server: ServerEnvironment, key: string): Promise<Run> {
    const values = server.templateVariables()
    const { file, args, usesEntryPoint, startup, shown, chosen } = await this.#commandLine(server, values)
    const cwd = await this.#workingDirectory(server, getWorkingDirectory(server.definition.run, values))
    await this.#refuseOutside(server, { chosen, values, cwd })
    const env = server.environmentVariables(values)
    if (startup !== undefined) env[startupVariable] = startup
    await this.#warn(server, env)
    this.#deps.console.say(`Starting process: ${shown}`)
    const terminalSize = this.#deps.terminalSize()
    return await server
      .environment()
      .start({ key, file, args, usesEntryPoint, cwd, env, terminalSize, ...server.resources })
  }

  /** Prints what does not work as the definition demands. */
  async #warn(server: ServerEnvironment, env: Record<string, string>): Promise<void> {
    const { console, unsupportedFeatures, portConflicts } = this.#deps
    const { run, data } = server.definition
    const { limits } = server.resources
    // The Docker Engine reports what it does not enforce; it does not know of disk space.
    const plan = server.enforcesLimits ? { limits, env } : { limits: { disk: limits.disk }, env: {} }
    for (const line of unsupportedFeatures(plan)) console.say(line)
    for (const line of await portConflicts(tryParseListenAddress(data))) console.say(line)
    const reason = problemsOfReadyPattern(run)[0]?.metadata.reason
    if (reason !== undefined)
      console.say(`The ready pattern is ignored, and the server counts as online as soon as it runs: ${reason}`)
  }

  async #commandLine(server: ServerEnvironment, values: ReadonlyMap<string, string>): Promise<CommandLine> {
    const { console } = this.#deps
    await using files = await server.openFiles()
    const context: EvaluationContext = {
      ...server.conditionContext,
      values,
      success: true,
      fileExists: async (path) => (await files.stat(parsePath(path))) !== undefined,
      inPath: (name) => server.isInPath(name),
    }
    return await readCommandLine(server.definition, context).catch((cause: unknown) => {
      if (cause instanceof Refusal && Array.isArray(server.definition.run.command))
        console.say('No command can be run: each of them has a condition that is not met')
      if (!(cause instanceof ConditionError)) throw cause
      console.say(`Failed to choose the command: ${cause.message}`)
      throw new Refusal('ErrFieldInvalid', { field: 'run.command' }, { cause })
    })
  }

  async #refuseOutside(
    server: ServerEnvironment,
    use: Parameters<ServerEnvironment['assertContained']>[1],
  ): Promise<void> {
    await using files = await server.openFiles()
    try {
      await server.assertContained(files, use)
    } catch (cause) {
      if (isRefusal(cause, 'ErrIllegalFileAccess'))
        this.#deps.console.say(`A value leads out of the folder of the server: ${String(cause.metadata.path)}`)
      throw cause
    }
  }

  async #workingDirectory(server: ServerEnvironment, text: string): Promise<string> {
    try {
      await using files = await server.openFiles()
      return await files.workingDirectory(parsePath(text))
    } catch (cause) {
      if (cause instanceof Refusal) this.#deps.console.say(`Working directory is invalid for server: ${text}`)
      throw cause
    }
  }
}
