import type { Command } from '../command/command.ts'
import { userArgument, userArgumentHelp, withOperatorContext } from '../command/operator.ts'

export const userPasswd: Command = {
  name: 'user passwd',
  operands: [userArgument],
  summary: "Sets a user's password, and ends their sessions, SSH keys and OAuth2 clients.",
  options: { 'keep-access': { type: 'boolean', help: "Keeps the user's SSH keys and OAuth2 clients." } },
  notes: `${userArgumentHelp}\nPrompts for the password; without a terminal it is read from the first line of the input.`,

  async run({ operands: [name = ''], options }, context) {
    await withOperatorContext(context, async ({ users }) => {
      const { username } = await users.get(name)
      const keepAccess = options['keep-access'] === true
      await users.setPassword(name, await context.terminal.newPassword(), { keepAccess })
      context.terminal.say(`Set the password of ${username}.`)
    })
  },
}
