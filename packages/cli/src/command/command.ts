import type { ParseArgsOptionsConfig } from 'node:util'
import { type CliContext, openCliContext } from '@innkeeper/panel/cli-context'
import type { Logger } from 'pino'
import type { Config } from '../installation/config.ts'
import { type Terminal, UsageError } from './terminal.ts'

/** The context of a command. */
export interface CommandContext {
  readonly config: Config
  /** Version of Innkeeper. */
  readonly version: string
  readonly terminal: Terminal
  readonly log: Logger
  /** Ends the process at once, whatever did not respond to it. */
  readonly exit: (code: number) => void
  /** The next Ctrl+C calls the listener instead of ending the process. Returns a function that removes it. */
  readonly onInterrupt: (listener: () => void) => () => void
}

/** The parsed arguments of a command. */
export interface ParsedArgs {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

/** A command, from which the list of commands, its help and its parser are generated. */
export interface Command {
  /** The words of the command. */
  readonly name: string
  /** Operands: `<username> <email>`; in brackets when optional. */
  readonly operands: readonly string[]
  readonly summary: string
  /** Options with one line of help each. */
  readonly options: Readonly<Record<string, Option>>
  /** Notes below the options. */
  readonly notes?: string
  run(args: ParsedArgs, context: CommandContext): Promise<void>
}

type Option = ParseArgsOptionsConfig[string] & {
  readonly help: string
  /** Placeholder of the option's value, if it has one. */
  readonly value?: string
}

export const yesOption = { type: 'boolean', short: 'y', help: 'Does not ask for confirmation.' } as const
export const jsonOption = { type: 'boolean', help: 'Prints JSON.' } as const

/** Asks for confirmation unless `--yes` was given, and says when nothing changes. */
export async function isConfirmed(
  question: string,
  { options }: Pick<ParsedArgs, 'options'>,
  { terminal }: CommandContext,
): Promise<boolean> {
  if (options.yes || (await terminal.confirm(question))) return true
  terminal.say('Nothing changed.')
  return false
}

/** The value of a text option; undefined when it was not given. */
export function textOption({ options }: ParsedArgs, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** The value of an `on`/`off` option; undefined when it was not given. */
export function onOffOption(args: ParsedArgs, name: string): boolean | undefined {
  const value = textOption(args, name)
  if (value !== undefined && value !== 'on' && value !== 'off') throw new UsageError(`--${name} must be on or off.`)
  return value === undefined ? undefined : value === 'on'
}

/** Opens the configured database, runs `work` and closes the database. */
export async function withCliContext<T>(
  context: Pick<CommandContext, 'config' | 'log'>,
  work: (services: CliContext) => Promise<T>,
): Promise<T> {
  const { databaseUrl, masterUrl } = context.config
  const services = await openCliContext({ databaseUrl, masterUrl, log: context.log })
  try {
    return await work(services)
  } finally {
    await services.close()
  }
}

/** How to specify a user. */
export const userArgument = '<who>'
export const userArgumentHelp = '<who> is a username, an email address, or an ID like #1.'
