import { type Command, isConfirmed, yesOption } from '../command/command.ts'
import { userArgument, userArgumentHelp, withOperatorContext } from '../command/operator.ts'

export const userDelete: Command = {
  name: 'user delete',
  operands: [userArgument],
  summary: 'Deletes a user; servers are kept.',
  options: { yes: yesOption },
  notes: userArgumentHelp,

  async run({ operands: [name = ''], options }, context) {
    await withOperatorContext(context, async ({ users }) => {
      const { username, email } = await users.get(name)
      if (!(await isConfirmed(`Delete ${username} <${email}>?`, { options }, context))) return
      await users.remove(name)
      context.terminal.say(`Deleted ${username}.`)
    })
  },
}
