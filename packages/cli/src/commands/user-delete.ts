import type { Command } from '../command.ts'
import { userArgument, userArgumentHelp, withUsers } from '../operator.ts'

export const userDelete: Command = {
  name: 'user delete',
  operands: [userArgument],
  summary: 'Deletes a user; servers are kept.',
  options: { yes: { type: 'boolean', short: 'y', help: 'Does not ask for confirmation.' } },
  notes: userArgumentHelp,

  async run({ operands: [name = ''], options }, context) {
    await withUsers(context, async (users) => {
      const { username, email } = await users.get(name)
      if (!options.yes && !(await context.terminal.confirm(`Delete ${username} <${email}>?`))) {
        context.terminal.say('Nothing changed.')
        return
      }
      await users.remove(name)
      context.terminal.say(`Deleted ${username}.`)
    })
  },
}
