import { inspectDatabase } from '@innkeeper/panel/database/database'
import { type Command, jsonOption } from '../command/command.ts'
import { UsageError } from '../command/terminal.ts'

export const upgrade: Command = {
  name: 'upgrade',
  operands: [],
  summary: 'Shows what the next start of this version changes in the database.',
  options: {
    check: { type: 'boolean', help: 'Required: only shows, and changes nothing.' },
    json: jsonOption,
  },
  notes: 'Uses no network except the database. The start of a new version runs the migrations: see docs/upgrade.md.',

  async run({ options }, { config, version, terminal }) {
    if (!options.check)
      throw new UsageError('A new version upgrades when it is started. Add --check to see what it does.')
    const { role, databaseUrl, backupDir } = config
    const isSqlite = databaseUrl.startsWith('sqlite:')
    const database = role === 'node' ? undefined : await inspectDatabase(databaseUrl)
    const pending = database?.pending ?? []
    const backsUp = database !== undefined && database.applied.length > 0 && pending.length > 0
    const backup = backsUp ? (isSqlite ? `${databaseUrl.slice('sqlite:'.length)}.backup-<time>` : backupDir) : null
    if (options.json) return terminal.say(JSON.stringify({ version, role, pending, backup }))
    terminal.say(`This is Innkeeper ${version}.`)
    if (!database) terminal.say('A node has no database, and needs no migration.')
    else if (database.applied.length === 0) terminal.say('There is no database yet. The first start creates it.')
    else if (pending.length === 0) terminal.say('The database is up to date: the start runs no migrations.')
    else {
      terminal.say(`The start runs these migrations:\n${pending.map((name) => `  ${name}`).join('\n')}`)
      terminal.say(`A backup is made first: ${backup}`)
    }
    terminal.say('Servers keep running.')
  },
}
