import type { Command } from '../command/command.ts'
import { withOperatorContext } from '../command/operator.ts'

export const userAdd: Command = {
  name: 'user add',
  operands: ['<username>', '<email>'],
  summary: 'Adds a user.',
  options: { admin: { type: 'boolean', help: 'Makes the user an administrator.' } },
  notes: 'Prompts for the password; without a terminal it is read from the first line of the input.',

  async run({ operands: [username = '', email = ''], options }, context) {
    await withOperatorContext(context, async ({ users }) => {
      users.check({ username, email })
      const password = await context.terminal.newPassword()
      const id = await users.add({ username, email, password }, { admin: options.admin === true })
      context.terminal.say(`Added ${username} as #${id}.`)
    })
  },
}
