import { substitute } from '@innkeeper/contract/command-line'
import { type BuiltIns, type EvaluationContext, firstMatching } from '@innkeeper/contract/conditions'
import { commandOf, type Definition, environmentOf, environmentTypeOf, type Run } from '@innkeeper/contract/definition'
import { containerRoot } from '@innkeeper/contract/docker'
import { Refusal } from '@innkeeper/contract/refusals'
import { textOf } from '@innkeeper/contract/variables'
import { fillCommand } from '../operations/filled-command.ts'
import { hostPlatform } from './requirements.ts'

/** Where a server is, and where its programs are looked up. */
export interface ServerLocation {
  readonly id: string
  /** The server's folder on this machine. */
  readonly rootDir: string
  readonly path: string
  /** The user that the daemon, and so the server, runs as. */
  readonly user: string
  /** The user of the system that the server runs as and that its files belong to, where it is not the daemon's. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

/** A place as the processes of a server see it: in a container, path and user are the image's matter. */
export type EnvironmentLocation = Pick<ServerLocation, 'id' | 'rootDir'> & Partial<ServerLocation>

export function locationInEnvironment(definition: Definition, location: ServerLocation): EnvironmentLocation {
  const isContained = environmentTypeOf(environmentOf(definition)) === 'docker'
  return isContained ? { id: location.id, rootDir: containerRoot } : location
}

/** What conditions of a definition are judged by, beside its variables. */
export function conditionContext(
  definition: Definition,
  { id }: Pick<ServerLocation, 'id'>,
): Omit<Circumstances, 'success'> {
  const isContained = environmentTypeOf(environmentOf(definition)) === 'docker'
  return { ...hostPlatform(), env: isContained ? 'docker' : 'host', serverId: id }
}

/** What `${name}` stands for: every variable, and the server's own id and folder. */
export function templateVariables(
  definition: Definition,
  location: Pick<ServerLocation, 'id' | 'rootDir'>,
): Map<string, string> {
  const values = new Map(Object.entries(definition.data).map(([name, { value }]) => [name, textOf(value)]))
  values.set('serverId', location.id)
  values.set('rootDir', location.rootDir)
  const { os, arch } = hostPlatform()
  values.set('core:os', os).set('core:arch', arch)
  return values
}

/** The environment of a server's processes: built from nothing, so that nothing of the daemon's own leaks. */
export function environmentVariables(
  run: Run,
  values: ReadonlyMap<string, string>,
  { rootDir, path, user }: EnvironmentLocation,
): Record<string, string> {
  const declared = Object.entries(run.environmentVars ?? {}).map(([name, text]) => [
    name,
    substitute(text ?? '', values),
  ])
  return {
    ...(path !== undefined && { PATH: path }),
    HOME: rootDir,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ...(user !== undefined && { USER: user, LOGNAME: user }),
    ...Object.fromEntries(declared),
  }
}

/** A program with its arguments, and how the console shows them. */
export interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  /** Consoles are read by people who may not see the settings. */
  readonly shown: string
}

/**
 * What starts the server: split first, then filled in, so that a value stays one argument. Of several commands the one
 * that is meant here. Throws `ConditionError`.
 */
export async function commandLineOf({ run }: Definition, ground: EvaluationContext): Promise<CommandLine> {
  const line = Array.isArray(run.command) ? (await firstMatching(run.command, ground))?.command : commandOf(run)
  const { argv, shown } = fillCommand(line ?? '', ground.values)
  const [file, ...args] = argv
  if (file === undefined || file === '') throw new Refusal('ErrFieldRequired', { field: 'run.command' })
  return { file, args, shown }
}

/** The folder that the server starts in, as a path below its own; empty for that itself. */
export function workingDirectoryOf(run: Run, values: ReadonlyMap<string, string>): string {
  const text = substitute(run.workingDirectory ?? '', values)
  const rootDir = values.get('rootDir') ?? ''
  if (text === rootDir || text.startsWith(`${rootDir}/`)) return text.slice(rootDir.length)
  return text
}
