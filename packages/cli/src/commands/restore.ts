import { needsPassphrase } from '../backup/archive.ts'
import { configuredPassphrase, passphraseFileOption } from '../backup/passphrase.ts'
import { checkBackup, isInUse, restoreBackup } from '../backup/restore-backup.ts'
import { type Command, isConfirmed, yesOption } from '../command/command.ts'

export const restore: Command = {
  name: 'restore',
  operands: ['<file>'],
  summary: 'Replaces database, definitions and keys by those of a backup.',
  options: {
    check: { type: 'boolean', help: 'Only checks the backup, and changes nothing.' },
    'passphrase-file': passphraseFileOption,
    yes: yesOption,
  },
  notes: 'Works also while Innkeeper runs; restart it afterwards. What is replaced is backed up first.',

  async run(args, context) {
    const { terminal, config } = context
    const [file = ''] = args.operands
    const configured = await configuredPassphrase(args, context)
    const passphrase = (await needsPassphrase(file)) ? (configured ?? (await terminal.passphrase())) : undefined
    await using backup = await checkBackup(file, context, passphrase)
    const { createdAt, innkeeper, files } = backup.manifest
    terminal.say(`${file} is a complete backup of ${createdAt} by Innkeeper ${innkeeper}, with ${files.length} files.`)
    if (args.options.check) return
    const question = 'Replace users, servers, settings and keys of this installation?'
    if ((await isInUse(context)) && !(await isConfirmed(question, args, context))) return
    const restored = await restoreBackup(backup, context, config.backupPassphrase ?? passphrase)
    terminal.say('Restored.')
    if (restored.previous !== undefined) terminal.say(`What was there before is in ${restored.previous}.`)
    if (restored.config !== undefined) terminal.say(`Compare your configuration with ${restored.config}.`)
    for (const path of restored.others) terminal.say(`Not in the backup, and left in place: ${path}`)
    if (restored.isRunning) terminal.say('Restart Innkeeper now to load what was restored. Servers keep running.')
  },
}
