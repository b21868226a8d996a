import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandContext } from '../command/command.ts'
import { createBackup } from './create-backup.ts'

const prefix = 'before-upgrade-'
const maxBackups = 3

/** Makes a backup before migrations of a database on a server, and deletes the oldest ones. Resolves to the file. */
export async function backUpBeforeUpgrade(
  context: Pick<CommandContext, 'config' | 'version' | 'log'>,
): Promise<string> {
  const { backupDir, backupPassphrase } = context.config
  const file = join(backupDir, `${prefix}${new Date().toISOString().replace(/[-:]/g, '')}.backup`)
  await createBackup(file, context, backupPassphrase)
  const names = (await readdir(backupDir)).filter((name) => name.startsWith(prefix)).toSorted()
  for (const name of names.slice(0, -maxBackups)) await rm(join(backupDir, name), { force: true })
  return file
}
