import { migrateDatabase } from '@innkeeper/panel/database/database'
import { backUpBeforeUpgrade } from '../backup/before-upgrade.ts'
import type { Command } from '../command/command.ts'

export const dbMigrate: Command = {
  name: 'db migrate',
  operands: [],
  summary: 'Creates or migrates the database; the start does this too.',
  options: {},

  async run(_typed, context) {
    const { config, log, terminal } = context
    const { steps, copy } = await migrateDatabase(config.databaseUrl, log, () => backUpBeforeUpgrade(context))
    if (copy) terminal.say(`The backup is ${copy}.`)
    for (const name of steps) terminal.say(`Done: ${name}`)
    terminal.say('The database is up to date.')
  },
}
