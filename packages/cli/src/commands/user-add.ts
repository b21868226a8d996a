import { withPeople } from '../caretaking.ts'
import type { Command } from '../command.ts'

export const userAdd: Command = {
  name: 'user add',
  operands: ['<username>', '<email>'],
  summary: 'Adds a user.',
  options: { admin: { type: 'boolean', help: 'Makes them an administrator.' } },
  notes: 'The password is asked for; without a terminal it is the first line of the input.',

  async run({ operands: [username = '', email = ''], options }, desk) {
    await withPeople(desk, async (people) => {
      people.check({ username, email })
      const password = await desk.terminal.newPassword()
      const id = await people.add({ username, email, password }, { admin: options.admin === true })
      desk.terminal.say(`Added ${username} as #${id}.`)
    })
  },
}
