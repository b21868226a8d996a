import { createBackup } from '../backup/create-backup.ts'
import { configuredPassphrase, passphraseFileOption } from '../backup/passphrase.ts'
import type { Command } from '../command/command.ts'

export const backup: Command = {
  name: 'backup',
  operands: ['<file>'],
  summary: 'Writes a backup of database, definitions and keys, while Innkeeper runs.',
  options: {
    encrypt: { type: 'boolean', help: 'Encrypts it with a passphrase, from a prompt or the first line of the input.' },
    'passphrase-file': passphraseFileOption,
  },
  notes: 'The files of servers are not in it. With INNKEEPER_BACKUP_PASSPHRASE it is always encrypted.',

  async run(args, context) {
    const [file = ''] = args.operands
    const configured = await configuredPassphrase(args, context)
    const passphrase = configured ?? (args.options.encrypt ? await context.terminal.newPassword() : undefined)
    const { servers, bytes, hasDatabase } = await createBackup(file, context, passphrase)
    const content = `${hasDatabase ? 'the database and ' : ''}${servers} server definitions`
    const size = `${Math.ceil(bytes / 1024)} KiB${passphrase === undefined ? '' : ', encrypted'}`
    context.terminal.say(`Backed up ${content} to ${file} (${size}).`)
  },
}
