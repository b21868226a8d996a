import { parseArgs } from 'node:util'
import type { Command, CommandContext, ParsedArgs } from './command/command.ts'
import { UsageError } from './command/terminal.ts'
import { apply } from './commands/apply.ts'
import { backup } from './commands/backup.ts'
import { dbCommands } from './commands/db.ts'
import { doctor } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { health } from './commands/health.ts'
import { imports } from './commands/import.ts'
import { nodeCommands } from './commands/node.ts'
import { panelRotateKey } from './commands/panel-rotate-key.ts'
import { restore } from './commands/restore.ts'
import { serverDelete } from './commands/server-delete.ts'
import { templateCheckEggs } from './commands/template-check-eggs.ts'
import { upgrade } from './commands/upgrade.ts'
import { userCommands } from './commands/user.ts'

/** All commands except those of `main.ts`. */
export const commands: readonly Command[] = [
  ...userCommands,
  ...nodeCommands,
  serverDelete,
  backup,
  restore,
  ...imports,
  templateCheckEggs,
  exportCommand,
  apply,
  upgrade,
  doctor,
  health,
  ...dbCommands,
  panelRotateKey,
]

/**
 * Parses the arguments and runs the command. The context is created only when a command runs.
 * @throws UsageError for an unknown command or wrong arguments
 */
export async function dispatch(
  args: readonly string[],
  context: () => CommandContext,
  say: (text: string) => void,
): Promise<void> {
  const words = args.filter((word) => !word.startsWith('-'))
  const command = commands.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)
  if (!command) {
    const group = commands.filter(({ name }) => name.split(' ')[0] === words[0])
    if (group.length > 0 && args.some(isHelp)) return say(getOverview(group))
    throw new UsageError(
      group.length > 0
        ? `${words.length > 1 ? `There is no command "${words.slice(0, 2).join(' ')}".\n\n` : ''}${getOverview(group)}`
        : `There is no command "${args.join(' ')}".`,
    )
  }
  if (args.some(isHelp)) return say(getHelp(command))
  await command.run(read(command, withoutName(command, args)), context())
}

/** The list of commands, one line each. */
export function getOverview(listed: readonly Command[] = commands): string {
  const lines = listed.map((command) => [getUsage(command), command.summary] as const)
  const width = Math.max(...lines.map(([usage]) => usage.length))
  return lines.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`).join('\n')
}

export function getHelp(command: Command): string {
  const options = { ...command.options, help: { type: 'boolean', short: 'h', help: 'Prints this help.' } } as const
  const lines = Object.entries<Command['options'][string]>(options).map(([name, { short, value, help }]) => {
    const head = `${short ? `-${short}, ` : '    '}--${name}${value ? ` <${value}>` : ''}`
    return [head, help] as const
  })
  const width = Math.max(...lines.map(([head]) => head.length))
  return [
    `${command.summary}`,
    '',
    `Usage: innkeeper ${getUsage(command)} [options]`,
    '',
    ...lines.map(([head, help]) => `  ${head.padEnd(width)}  ${help}`),
    ...(command.notes ? ['', command.notes] : []),
  ].join('\n')
}

const getUsage = ({ name, operands }: Command) => [name, ...operands].join(' ')

const isHelp = (word: string) => word === '--help' || word === '-h'

/** The arguments after the words of the command; options may come before them. */
function withoutName({ name }: Command, args: readonly string[]): string[] {
  let left = name.split(' ').length
  return args.filter((word) => word.startsWith('-') || left-- <= 0)
}

function read(command: Command, args: string[]): ParsedArgs {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { help, value, ...rest }]) => [name, rest]),
  )
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true })
    // An operand in brackets is optional.
    const required = command.operands.filter((operand) => operand.startsWith('<')).length
    if (positionals.length >= required && positionals.length <= command.operands.length) {
      return { operands: positionals, options: values as ParsedArgs['options'] }
    }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\nUsage: innkeeper ${getUsage(command)}`)
  }
  throw new UsageError(`Usage: innkeeper ${getUsage(command)}\n\nSee innkeeper ${command.name} --help.`)
}
