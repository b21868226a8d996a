import { who, whoIs, withPeople } from '../caretaking.ts'
import type { Command } from '../command.ts'

export const userPasswd: Command = {
  name: 'user passwd',
  operands: [who],
  summary: "Sets a user's password, and ends their sessions.",
  options: {},
  notes: `${whoIs}\nThe password is asked for; without a terminal it is the first line of the input.`,

  async run({ operands: [name = ''] }, desk) {
    await withPeople(desk, async (people) => {
      const { username } = await people.get(name)
      await people.setPassword(name, await desk.terminal.newPassword())
      desk.terminal.say(`Set the password of ${username}.`)
    })
  },
}
