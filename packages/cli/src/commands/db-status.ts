import { inspectDatabase } from '@innkeeper/panel/database/database'
import { type Command, jsonOption } from '../command/command.ts'
import { table } from '../command/terminal.ts'

export const dbStatus: Command = {
  name: 'db status',
  operands: [],
  summary: 'Shows applied and pending migrations.',
  options: { json: jsonOption },

  async run({ options }, { config, terminal }) {
    const { applied, pending } = await inspectDatabase(config.databaseUrl)
    const kind = /^[a-z]+/.exec(config.databaseUrl)?.[0] ?? ''
    if (options.json) {
      terminal.say(JSON.stringify({ kind, applied, pending }))
      return
    }
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
