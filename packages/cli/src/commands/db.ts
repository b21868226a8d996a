import { inspectDatabase, migrateDatabase } from '@innkeeper/panel/database/database'
import { backUpBeforeUpgrade } from '../backup/before-upgrade.ts'
import { type Command, jsonOption } from '../command/command.ts'
import { table } from '../command/terminal.ts'

const dbMigrate: Command = {
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

const dbStatus: Command = {
  name: 'db status',
  operands: [],
  summary: 'Shows applied and pending migrations.',
  options: { json: jsonOption },

  async run({ options }, { config, terminal }) {
    const { applied, pending } = await inspectDatabase(config.databaseUrl)
    const kind = /^[a-z]+/.exec(config.databaseUrl)?.[0] ?? ''
    if (options.json) return terminal.say(JSON.stringify({ kind, applied, pending }))
    const rows = [
      ...applied.map(({ name, timestamp }) => [name, timestamp]),
      ...pending.map((name) => [name, 'pending']),
    ]
    terminal.say(table(['STEP', 'DONE'], rows))
    terminal.say(
      pending.length === 0
        ? `\nThe database (${kind}) is up to date.`
        : `\nThe database (${kind}) ${applied.length === 0 ? 'does not exist yet' : 'is not up to date'}: run innkeeper db migrate.`,
    )
  },
}

export const dbCommands: readonly Command[] = [dbMigrate, dbStatus]
