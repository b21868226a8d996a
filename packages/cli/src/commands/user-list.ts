import { type Command, jsonOption } from '../command/command.ts'
import { withOperatorContext } from '../command/operator.ts'
import { table } from '../command/terminal.ts'

export const userList: Command = {
  name: 'user list',
  operands: [],
  summary: 'Lists the users.',
  options: { json: jsonOption },

  async run({ options }, context) {
    const everyone = await withOperatorContext(context, ({ users }) => users.list())
    if (options.json) {
      context.terminal.say(JSON.stringify(everyone))
      return
    }
    const rows = everyone.map((user) => [
      `#${user.id}`,
      user.username,
      user.email,
      user.isAdmin ? 'administrator' : '',
      user.hasTwoFactor ? 'on' : '',
      user.createdAt.slice(0, 10),
    ])
    context.terminal.say(table(['ID', 'USERNAME', 'EMAIL', 'ROLE', 'TWO-FACTOR', 'CREATED'], rows))
  },
}
