import { readFile } from 'node:fs/promises'
import { type CommandContext, type ParsedArgs, textOption } from '../command/command.ts'
import { UsageError } from '../command/terminal.ts'

/** The option of commands that need a passphrase; it is never an argument, which other users of the machine could read. */
export const passphraseFileOption = {
  type: 'string',
  value: 'path',
  help: 'Reads the passphrase from the first line of a file.',
} as const

/** The passphrase of the option or the settings, if there is one. */
export async function configuredPassphrase(args: ParsedArgs, { config }: CommandContext): Promise<string | undefined> {
  const path = textOption(args, 'passphrase-file')
  if (path === undefined) return config.backupPassphrase
  const [line = ''] = (await readFile(path, 'utf8')).split(/\r?\n/)
  if (line === '') throw new UsageError(`The first line of ${path} is empty.`)
  return line
}
