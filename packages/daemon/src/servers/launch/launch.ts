import { substitute } from '@innkeeper/contract/definitions/command-line'
import { type BuiltIns, type EvaluationContext, firstMatching } from '@innkeeper/contract/definitions/conditions'
import {
  type Definition,
  findEnvironmentType,
  getCommand,
  getEnvironment,
  type Run,
} from '@innkeeper/contract/definitions/definition'
import { type CommandUse, getContainerRoot, getDockerFields } from '@innkeeper/contract/definitions/docker'
import { passedText } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isVariableName } from '@innkeeper/contract/text/names'
import { type FilledText, fillCommand } from '../../operations/context/filled-command.ts'
import { hostPlatform } from './requirements.ts'

/** Directory, user and PATH of a server. */
export interface ServerLocation {
  readonly id: string
  /** The server's directory on the host. */
  readonly rootDir: string
  readonly path: string
  /** Name of the user that the daemon runs as, and the server too unless it has an owner. */
  readonly user: string
  /** The system user that runs the server and owns its files, if it is not the daemon's. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

/** The location as the server's processes see it. In a container, PATH and user come from the image. */
export type EnvironmentLocation = Pick<ServerLocation, 'id' | 'rootDir'> &
  Partial<ServerLocation> & {
    /** Whether it runs as the user of an image, which also has a home directory. */
    readonly isImageUser?: boolean
    /** Without a terminal TERM is not set: programs would draw into a pipe. */
    readonly hasTerminal?: boolean
  }

export function locationInEnvironment(definition: Definition, location: ServerLocation): EnvironmentLocation {
  const environment = getEnvironment(definition)
  const type = findEnvironmentType(environment)
  const hasTerminal = type !== 'standard'
  if (type !== 'docker') return { ...location, hasTerminal }
  const isImageUser = getDockerFields(environment).user === 'image'
  const rootDir = getContainerRoot(environment)
  return { id: location.id, rootDir, hasTerminal, ...(isImageUser && { isImageUser }) }
}

/** How the start command reaches the container of a server; undefined outside of containers. */
function findCommandUse(definition: Definition): CommandUse | undefined {
  const environment = getEnvironment(definition)
  return findEnvironmentType(environment) === 'docker' ? getDockerFields(environment).commandAs : undefined
}

/** The values that conditions can use, apart from variables. */
export function conditionContext(
  definition: Definition,
  { id }: Pick<ServerLocation, 'id'>,
): Omit<BuiltIns, 'success'> {
  const isContained = findEnvironmentType(getEnvironment(definition)) === 'docker'
  return { ...hostPlatform(), env: isContained ? 'docker' : 'host', serverId: id }
}

/** The values of `${name}`: all variables, and the server's id and directory. */
export function templateVariables(
  definition: Definition,
  location: Pick<ServerLocation, 'id' | 'rootDir'>,
): Map<string, string> {
  const values = new Map(Object.entries(definition.data).map(([name, variable]) => [name, passedText(variable)]))
  values.set('serverId', location.id)
  values.set('rootDir', location.rootDir)
  const { os, arch } = hostPlatform()
  values.set('core:os', os).set('core:arch', arch).set('core:timezone', nodeTimezone())
  return values
}

/** The time zone of the node: `Europe/Berlin`. */
const nodeTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The environment variables of a server's processes. Nothing is inherited from the daemon. */
export function environmentVariables(
  definition: Definition,
  values: ReadonlyMap<string, string>,
  { rootDir, path, user, isImageUser, hasTerminal = false }: EnvironmentLocation,
): Record<string, string> {
  const { run } = definition
  const declared = Object.entries(run.environmentVars ?? {})
    .filter(([name]) => isVariableName(name))
    .map(([name, text]) => [name, substitute(text ?? '', values)])
  return {
    ...(path !== undefined && { PATH: path }),
    ...(!isImageUser && { HOME: rootDir }),
    ...(hasTerminal && { TERM: 'xterm-256color' }),
    LANG: 'C.UTF-8',
    ...(user !== undefined && { USER: user, LOGNAME: user }),
    ...Object.fromEntries(declared),
    ...(findCommandUse(definition) === 'variable' && { [startupVariable]: getCommand(run) }),
  }
}

/** The variable in which the entry point of an image finds the start command. */
export const startupVariable = 'STARTUP'

/** A program with its arguments, and the text that the console prints. */
export interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  /** Whether the entry point of the image runs; `file` is empty. */
  readonly usesEntryPoint?: boolean
  /** The command as written, when the entry point gets it in a variable. */
  readonly startup?: string
  /** Without secrets: everyone who may read the console reads it. */
  readonly shown: string
  /** The arguments with values of users. */
  readonly chosen: readonly FilledText[]
}

/**
 * Returns the command that starts the server. It is split into arguments before variables are substituted, so that a
 * value stays one argument. Of several commands, returns the first one whose condition holds. In a container, an empty
 * command is that of the image. Throws `ConditionError`.
 */
export async function readCommandLine(definition: Definition, context: EvaluationContext): Promise<CommandLine> {
  const { run } = definition
  const line = Array.isArray(run.command) ? (await firstMatching(run.command, context))?.command : getCommand(run)
  const use = findCommandUse(definition)
  if (use === 'variable' && line !== undefined)
    return { file: '', args: [], usesEntryPoint: true, startup: line, shown: line, chosen: [] }
  const { argv, shown, chosen } = fillCommand(line ?? '', context.values, definition.data)
  const [file, ...args] = argv
  const isEmpty = argv.length === 0 && line !== undefined
  if (use === 'arguments' || (use === 'replace' && isEmpty))
    return { file: '', args: argv, usesEntryPoint: true, shown: shown || 'the command of the image', chosen }
  if (file === undefined || file === '') throw new Refusal('ErrFieldRequired', { field: 'run.command' })
  return { file, args, shown, chosen }
}

/** The working directory relative to the server's directory; empty for that directory itself. */
export function getWorkingDirectory(run: Run, values: ReadonlyMap<string, string>): string {
  const text = substitute(run.workingDirectory ?? '', values)
  const rootDir = values.get('rootDir') ?? ''
  if (text === rootDir || text.startsWith(`${rootDir}/`)) return text.slice(rootDir.length)
  return text
}
