import type { ParseArgsOptionsConfig } from 'node:util'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Terminal } from './terminal.ts'

/** What a command works with. */
export interface Desk {
  readonly config: Config
  readonly terminal: Terminal
  readonly log: Logger
}

/** What was typed behind the name of a command. */
export interface Typed {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

/** A command as a value: the list of commands, its help and its parsing are made of it. */
export interface Command {
  /** The words that call it. */
  readonly name: string
  /** What follows the name: `<username> <email>`. */
  readonly operands: readonly string[]
  readonly summary: string
  /** Options with one line of help each. */
  readonly options: Readonly<Record<string, Option>>
  /** More to know, below the options. */
  readonly notes?: string
  run(typed: Typed, desk: Desk): Promise<void>
}

type Option = ParseArgsOptionsConfig[string] & {
  readonly help: string
  /** What the value stands for, of an option that has one. */
  readonly value?: string
}

/** The command was not typed as it has to be. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

/** An option's text, when it was given. */
export function textOf({ options }: Typed, name: string): string | undefined {
  const given = options[name]
  return typeof given === 'string' ? given : undefined
}

/** An option that is `on` or `off`, when it was given. */
export function switchOf(typed: Typed, name: string): boolean | undefined {
  const given = textOf(typed, name)
  if (given !== undefined && given !== 'on' && given !== 'off') throw new WrongUsage(`--${name} is on or off.`)
  return given === undefined ? undefined : given === 'on'
}
